import type { TokenContract } from '../../../c/contracts.ts'
import type { Dialect } from '../../../index/methods.ts'
import { genesisTime } from '../../../network/eras.ts'
import { shownAddress } from './addresses.ts'

const statuses = ['INDEXED', 'INDEXED', 'INDEXED', 'UNINDEXED', 'INDEXED', 'UNREACHABLE_TOKEN_URI'] as const

/** A token of an ERC-721 or ERC-1155 with the metadata that the service read at its URI. */
export function collectibleOf(token: TokenContract, tokenId: bigint, dialect: Dialect): object {
  const { address, standard, name, symbol } = token
  return {
    address: shownAddress(address),
    ...(standard === 'ERC-721' ? { name, symbol } : {}),
    ercType: standard,
    tokenId: String(tokenId),
    tokenUri: `https://devnet.example/${symbol.toLowerCase()}/${tokenId}.json`,
    metadata: metadataOf(token, tokenId, dialect),
  }
}

/** The specification has every field; the real service omits fields that it could not read. */
function metadataOf(token: TokenContract, tokenId: bigint, dialect: Dialect): object {
  const status = statuses[Number(tokenId % BigInt(statuses.length))]!
  const indexStatus = dialect === 'spec' ? status.toLowerCase() : status
  if (status !== 'INDEXED' && dialect === 'node') return { indexStatus }
  const number = Number(tokenId % 1_000n)
  const picture = `https://devnet.example/${token.symbol.toLowerCase()}/${tokenId}`
  const more =
    token.standard === 'ERC-721'
      ? { attributes: JSON.stringify([{ trait_type: 'number', value: number }]) }
      : { decimals: token.decimals, properties: JSON.stringify({ weight: number }) }
  return {
    indexStatus,
    metadataLastUpdatedTimestamp: genesisTime + number * 60,
    name: `${token.name} #${number}`,
    symbol: token.symbol,
    imageUri: `${picture}.png`,
    description: `Number ${number} of ${token.name}: "${token.symbol}" — simulated`,
    animationUri: `${picture}.mp4`,
    externalUrl: picture,
    background: `#${(number * 16_411).toString(16).padStart(6, '0').slice(-6)}`,
    ...more,
  }
}
