import { selectors } from '../../../c/abi.ts'
import { type Contract, type Log, moved, zeroAddress } from './contract.ts'

type Amount = { readonly tokenId: bigint; readonly value: bigint }

/** An ERC-1155 contract. Any account may mint; only the owner of a token moves or burns it. A batch is one event. */
export function createErc1155(): Contract {
  const balances = new Map<string, bigint>()
  const balanceOf = (wallet: string, tokenId: bigint): bigint => balances.get(`${wallet} ${tokenId}`) ?? 0n
  const change = (wallet: string, tokenId: bigint, by: bigint): void => {
    if (wallet !== zeroAddress) balances.set(`${wallet} ${tokenId}`, balanceOf(wallet, tokenId) + by)
  }
  const move = (from: string, to: string, amounts: readonly Amount[]): readonly Log[] => {
    for (const { tokenId, value } of amounts) {
      change(from, tokenId, -value)
      change(to, tokenId, value)
    }
    return [moved(amounts.map((amount) => ({ from, to, ...amount })))]
  }
  const give = (sender: string, from: string, to: string, amounts: readonly Amount[]): readonly Log[] | null => {
    const needed = new Map<bigint, bigint>()
    for (const { tokenId, value } of amounts) needed.set(tokenId, (needed.get(tokenId) ?? 0n) + value)
    const enough = [...needed].every(([tokenId, value]) => balanceOf(from, tokenId) >= value)
    return sender === from && enough ? move(from, to, amounts) : null
  }
  return {
    call: (sender, input) => {
      const single = (position: number): Amount[] => {
        return [{ tokenId: input.number(position), value: input.number(position + 1) }]
      }
      switch (input.selector) {
        case selectors.mintOf:
          return move(zeroAddress, input.address(0), single(1))
        case selectors.mintBatch:
          return move(zeroAddress, input.address(0), paired(input.numbers(1), input.numbers(2)))
        case selectors.burnOf:
          return give(sender, input.address(0), zeroAddress, single(1))
        case selectors.safeTransferOf:
          return give(sender, input.address(0), input.address(1), single(2))
        case selectors.safeBatchTransfer:
          return give(sender, input.address(0), input.address(1), paired(input.numbers(2), input.numbers(3)))
        default:
          return null
      }
    },
  }
}

function paired(ids: readonly bigint[], values: readonly bigint[]): Amount[] {
  if (ids.length !== values.length) throw new RangeError('there are not as many amounts as ids')
  return ids.map((tokenId, at) => ({ tokenId, value: values[at]! }))
}
