import type { TokenContract } from '../../../c/contracts.ts'
import type { Dialect } from '../../../index/methods.ts'
import type { EvmBlock, EvmState, EvmTransfer } from '../state.ts'
import { logoOf, partyOf, shownAddress } from './addresses.ts'
import { collectibleOf } from './metadata.ts'
import { dollars } from './money.ts'

/** A transfer as the service lists it (specification 000, 2.7). The fields that the real service adds are only in its dialect. */
export function transferItem(transfer: EvmTransfer, state: EvmState, dialect: Dialect): object {
  const { token, block, txHash, logIndex, from, to, tokenId, value } = transfer
  const head = {
    ...blockFields(block, dialect),
    txHash,
    from: partyOf(from),
    to: partyOf(to),
    logIndex,
  }
  if (token.standard === 'ERC-20') return { ...head, value: String(value), erc20Token: erc20Of(token, dialect) }
  const collectible = collectibleOf(token, tokenId!, dialect)
  if (token.standard === 'ERC-1155') return { ...head, value: String(value), erc1155Token: collectible }
  const owner = state.ownerOf(token.address, tokenId!)
  return { ...head, erc721Token: { ...collectible, ...(owner === null ? {} : { ownerAddress: shownAddress(owner) }) } }
}

/** The block of a transfer or transaction. */
export function blockFields(block: EvmBlock, dialect: Dialect): object {
  const { milliseconds } = block
  return {
    blockNumber: String(block.number),
    blockTimestamp: block.time,
    ...(dialect === 'node' && milliseconds !== null ? { blockTimestampMilliseconds: milliseconds } : {}),
    blockHash: block.hash,
  }
}

/** The contract of an ERC-20 as transfers contain it. */
export function erc20Of(token: TokenContract, dialect: Dialect): object {
  const { address, name, symbol, decimals, price } = token
  return {
    address: shownAddress(address),
    name,
    symbol,
    decimals,
    logoUri: logoOf(token),
    ercType: 'ERC-20',
    ...(price === null ? {} : { price: dollars(price, dialect) }),
  }
}
