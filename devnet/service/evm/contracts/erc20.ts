import { selectors } from '../../../c/abi.ts'
import { mostOfToken } from '../../../c/contracts.ts'
import { type Contract, type Log, moved, zeroAddress } from './contract.ts'

/**
 * An ERC-20 contract. Any account may mint, up to the largest number of a word. A transfer of more than the balance reverts, and so does a
 * transfer of another owner's tokens beyond the allowance. An allowance of the largest amount is not used up.
 */
export function createErc20(): Contract {
  const balances = new Map<string, bigint>()
  const allowances = new Map<string, bigint>()
  let supply = 0n
  const balanceOf = (wallet: string): bigint => balances.get(wallet) ?? 0n
  const move = (from: string, to: string, value: bigint): Log => {
    if (from === zeroAddress) supply += value
    else balances.set(from, balanceOf(from) - value)
    if (to === zeroAddress) supply -= value
    else balances.set(to, balanceOf(to) + value)
    return moved([{ from, to, tokenId: null, value }])
  }
  const transfer = (from: string, to: string, value: bigint): readonly Log[] | null => {
    return balanceOf(from) < value || to === zeroAddress ? null : [move(from, to, value)]
  }
  const batch = (from: string, receivers: readonly string[], value: bigint): readonly Log[] | null => {
    if (balanceOf(from) < value * BigInt(receivers.length) || receivers.includes(zeroAddress)) return null
    return receivers.map((to) => move(from, to, value))
  }
  const spend = (spender: string, from: string, to: string, value: bigint): readonly Log[] | null => {
    const allowed = allowances.get(from + spender) ?? 0n
    if (allowed < value) return null
    const logs = transfer(from, to, value)
    if (logs !== null && allowed !== mostOfToken) allowances.set(from + spender, allowed - value)
    return logs
  }
  return {
    call: (sender, input) => {
      switch (input.selector) {
        case selectors.mint:
          return supply + input.number(1) > mostOfToken ? null : [move(zeroAddress, input.address(0), input.number(1))]
        case selectors.burn:
          return balanceOf(sender) < input.number(0) ? null : [move(sender, zeroAddress, input.number(0))]
        case selectors.transfer:
          return transfer(sender, input.address(0), input.number(1))
        case selectors.batchTransfer:
          return batch(sender, input.addresses(0), input.number(1))
        case selectors.transferFrom:
          return spend(sender, input.address(0), input.address(1), input.number(2))
        case selectors.approve:
          allowances.set(sender + input.address(0), input.number(1))
          return [{ moves: [], approval: { owner: sender, spender: input.address(0), value: input.number(1) } }]
        default:
          return null
      }
    },
  }
}
