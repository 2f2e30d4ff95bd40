import type { TokenContract } from '../../c/contracts.ts'
import { zeroAddress } from './contracts/contract.ts'
import type { EvmState, Standard } from './state.ts'

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
