import { zeroAddress } from './contracts/contract.ts'
import type { EvmTransfer } from './state.ts'

export type Holder = { readonly address: string; readonly balance: bigint }

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
