import { evmChainId } from '../../../c/state.ts'
import type { Dialect } from '../../../index/methods.ts'
import type { Holding } from '../holdings.ts'
import { shownAddress } from './addresses.ts'
import { collectibleOf } from './metadata.ts'
import { dollars } from './money.ts'

const nativePrice = 42.42
const weiPerCent = 10n ** 16n

/** The native token of a wallet (specification 000, 2.8). */
export function nativeItem(wei: bigint, dialect: Dialect): object {
  // Hundredths of the token are precise enough for the value in US dollars.
  const worth = Math.round(Number(wei / weiPerCent) * nativePrice) / 100
  return {
    name: 'Avalanche',
    symbol: 'AVAX',
    decimals: 18,
    logoUri: 'https://devnet.example/logos/avax.png',
    chainId: String(evmChainId),
    price: dollars(nativePrice, dialect),
    balance: String(wei),
    balanceValue: dollars(worth, dialect),
  }
}

/** A token that a wallet holds: with the owner for an ERC-721, with the amount for an ERC-1155. */
export function holdingItem(wallet: string, { token, tokenId, amount }: Holding, dialect: Dialect): object {
  const more = token.standard === 'ERC-721' ? { ownerAddress: shownAddress(wallet) } : { balance: String(amount) }
  return { ...collectibleOf(token, tokenId, dialect), chainId: String(evmChainId), ...more }
}
