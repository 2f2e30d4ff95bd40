import { type TokenContract, wholeWord } from '../../../c/contracts.ts'
import { evmChainId } from '../../../c/state.ts'
import type { Dialect } from '../../../index/methods.ts'
import type { Holding } from '../holdings.ts'
import { shownAddress } from './addresses.ts'
import { collectibleOf } from './metadata.ts'
import { dollars } from './money.ts'
import { erc20Of } from './transfer.ts'

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

/** ERC-20 tokens of one contract that a wallet holds. The prices of some tokens are unknown. */
export function erc20Item({ token, amount }: Holding, dialect: Dialect): object {
  const { price, decimals } = token
  const worth = price === null ? null : Math.round((Number(amount) / 10 ** decimals) * price * 100) / 100
  return {
    ...erc20Of(token, dialect),
    chainId: String(evmChainId),
    balance: String(amount),
    ...(worth === null ? {} : { balanceValue: dollars(worth, dialect) }),
    tokenReputation: isSpam(token) ? 'Malicious' : 'Benign',
  }
}

/** The service takes the token with the largest amounts for spam. */
export function isSpam(token: TokenContract): boolean {
  return token === wholeWord
}

/** A token that a wallet holds: with the owner for an ERC-721, with the amount for an ERC-1155. */
export function holdingItem(wallet: string, { token, tokenId, amount }: Holding, dialect: Dialect): object {
  const more = token.standard === 'ERC-721' ? { ownerAddress: shownAddress(wallet) } : { balance: String(amount) }
  return { ...collectibleOf(token, tokenId!, dialect), chainId: String(evmChainId), ...more }
}
