import type { RestErc1155Transfer } from '../../../schemas/rest-erc1155-transfers.ts'
import { DecodeError } from '../../errors.ts'
import { contradiction, optionalObject, optionalText, pathOf, type Reading } from './fields.ts'
import { optionalCount, optionalFraction, optionalMilliseconds, optionalTime, seconds } from './number-fields.ts'
import { optionalWord } from './text-fields.ts'

/** The requested chain. Rows get these values. */
export type EvmPlace = {
  /** Value of the column `network`. */
  readonly network: string
  /** Value of the column `chain_id`: the name of the chain in the job. */
  readonly chainId: string
}

type Price = { readonly currency: string | null; readonly value: number | null }

/** Reads a price (specification 2.1). Either part may be missing in older or newer answers. */
export function readPrice(at: Reading): Price {
  return { currency: optionalWord(at, 'currencyCode'), value: optionalFraction(at, 'value') }
}

export const noPrice: Price = { currency: null, value: null }

type Metadata = RestErc1155Transfer['metadata']

/** Reads the metadata of a token (specification 2.8), for ERC-721 and ERC-1155. */
function readMetadata(at: Reading): NonNullable<Metadata> {
  return {
    index_status: optionalWord(at, 'indexStatus'),
    metadata_updated_at: optionalTime(at, 'metadataLastUpdatedTimestamp'),
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    image_uri: optionalText(at, 'imageUri'),
    description: optionalText(at, 'description'),
    animation_uri: optionalText(at, 'animationUri'),
    external_url: optionalText(at, 'externalUrl'),
    background: optionalText(at, 'background'),
    attributes: optionalText(at, 'attributes'),
    decimals: optionalCount(at, 'decimals'),
    properties: optionalText(at, 'properties'),
  }
}

export function metadataOf(at: Reading): Metadata {
  return optionalObject(at, 'metadata', readMetadata)
}

/** Returns decimal digits as a DECIMAL(38,0) value; null if there are more than 38. */
export function decimal38(digits: string): bigint | null {
  return digits.length <= 38 ? BigInt(digits) : null
}

/** Like `decimal38`, for an optional number of wei or gas. */
export function optionalDecimal38(digits: string | null): bigint | null {
  return digits === null ? null : decimal38(digits)
}

/**
 * Returns the time of an item's block in microseconds. If the answer also states milliseconds, they are used; they may differ from the
 * seconds by at most one second.
 */
export function blockTime(at: Reading): bigint {
  const stated = seconds(at, 'blockTimestamp')
  const milliseconds = optionalMilliseconds(at, 'blockTimestampMilliseconds')
  if (milliseconds === null) return BigInt(stated) * 1_000_000n
  if (Math.abs(milliseconds - stated * 1000) > 1000)
    throw contradiction(at, 'blockTimestamp', stated, 'blockTimestampMilliseconds', milliseconds)
  return BigInt(milliseconds) * 1000n
}

/**
 * Throws `DecodeError` if a row belongs to another chain than the requested one. If the job names the chain by its blockchain id, a numeric
 * chain id cannot be compared.
 */
export function checkChain(at: Reading, place: Pick<EvmPlace, 'chainId'>): void {
  const found = optionalText(at, 'chainId')
  if (found === null || found === place.chainId || isNumber(found) !== isNumber(place.chainId)) return
  throw new DecodeError(`The answer is about chain ${found}, not ${place.chainId}.`, {
    code: 'decode.other-chain',
    details: { 'asked for': place.chainId, found },
    hint: 'Nothing of this unit was written. Check the base URL of the profile and the chain id of the job.',
  })
}

function isNumber(chainId: string): boolean {
  return /^\d+$/.test(chainId)
}

/** A token standard as the lake spells it. */
export type TokenStandard = 'erc20' | 'erc721' | 'erc1155'

/** Returns the standard that the service names, such as `ERC-1155`; null if it is unknown. */
export function standardOf(stated: string): TokenStandard | null {
  const [, digits] = /^ERC-(20|721|1155)$/i.exec(stated) ?? []
  return digits === undefined ? null : (`erc${digits}` as TokenStandard)
}

/** Throws `DecodeError` if the stated standard is not `expected`. */
export function checkStandard(at: Reading, expected: TokenStandard): void {
  const found = optionalText(at, 'ercType')
  if (found !== null && standardOf(found) !== expected) throw otherStandard(at, found)
}

/** Returns the error about a standard without a table. The decoder does not guess where its rows belong. */
export function otherStandard(at: Reading, found: string): DecodeError {
  const path = pathOf(at)
  return new DecodeError(`${path} is of a token standard that chainlake does not know here: ${found}.`, {
    code: 'decode.token-standard',
    details: { item: path, found },
    hint: 'Nothing of this unit was written. Update chainlake, or leave the contract or wallet out of the job.',
  })
}
