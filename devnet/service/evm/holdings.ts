import type { TokenContract } from '../../c/contracts.ts'
import { zeroAddress } from './contracts.ts'
import type { EvmState, EvmTransfer, Standard } from './state.ts'

/** The tokens of one contract and id that a wallet holds. The id is null for an ERC-20. */
export type Holding = { readonly token: TokenContract; readonly tokenId: bigint | null; readonly amount: bigint }

/** Every wallet that ever had a token, sorted by address. */
export function walletsOf({ transfers }: EvmState): string[] {
  const wallets = new Set<string>()
  for (const { from, to } of transfers) {
    wallets.add(from)
    wallets.add(to)
  }
  wallets.delete(zeroAddress)
  return [...wallets].sort()
}

/** The tokens of one standard that a wallet holds after a block, sorted by contract and id. */
export function holdingsOf(
  state: EvmState,
  wallet: string,
  standard: Standard,
  blockNumber: number = Number.POSITIVE_INFINITY,
): Holding[] {
  const amounts = new Map<string, Holding>()
  const add = (token: TokenContract, tokenId: bigint | null, by: bigint): void => {
    const key = `${token.address} ${tokenId}`
    amounts.set(key, { token, tokenId, amount: (amounts.get(key)?.amount ?? 0n) + by })
  }
  for (const { token, block, tokenId, from, to, value } of state.transfersWith(wallet, standard)) {
    if (block.number > blockNumber) break
    if (from === wallet) add(token, tokenId, -value)
    if (to === wallet) add(token, tokenId, value)
  }
  return [...amounts.values()].filter(({ amount }) => amount > 0n).sort(byContractAndId)
}

function byContractAndId(a: Holding, b: Holding): number {
  if (a.token !== b.token) return a.token.address < b.token.address ? -1 : 1
  return (a.tokenId ?? 0n) < (b.tokenId ?? 0n) ? -1 : 1
}

type Holder = { readonly address: string; readonly balance: bigint }

/** Whether a time in Unix seconds is before a window, in it, or after it. */
export type Window = (time: number) => 'before' | 'in' | 'after'

/**
 * Addresses that had more than `threshold` of a token at some time in a window, with their balances at its end, largest first. Balances at
 * the start of the window count, too.
 */
export function holdersOf(transfers: readonly EvmTransfer[], threshold: bigint, window: Window): Holder[] {
  const balances = new Map<string, bigint>()
  const found = new Set<string>()
  const add = (address: string, by: bigint): void => {
    if (address !== zeroAddress) balances.set(address, (balances.get(address) ?? 0n) + by)
  }
  const enough = (address: string): boolean => (balances.get(address) ?? 0n) > threshold
  let begun = false
  const begin = (): void => {
    for (const address of balances.keys()) if (enough(address)) found.add(address)
    begun = true
  }
  for (const { block, from, to, value } of transfers) {
    const place = window(block.time)
    if (place === 'after') break
    if (place === 'in' && !begun) begin()
    add(from, -value)
    add(to, value)
    if (begun && enough(to)) found.add(to)
  }
  if (!begun) begin()
  found.delete(zeroAddress)
  return [...found].map((address) => ({ address, balance: balances.get(address)! })).sort(byBalance)
}

function byBalance(a: Holder, b: Holder): number {
  if (a.balance !== b.balance) return a.balance > b.balance ? -1 : 1
  return a.address < b.address ? -1 : 1
}
