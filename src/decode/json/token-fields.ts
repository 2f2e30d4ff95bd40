import { DecodeError } from '../../errors.ts'
import { contradiction, newShape, pathOf, type Reading, raw, reading } from './fields.ts'
import { optionalMilliseconds, optionalText, time } from './value-fields.ts'

/**
 * Returns the time of an item's block in microseconds. If the answer also states milliseconds, they are used; they may differ from the
 * seconds by at most one second.
 */
export function blockTime(_: unknown, at: Reading): bigint {
  const stated = time(at, 'blockTimestamp')
  const precise = optionalMilliseconds(at, 'blockTimestampMilliseconds')
  if (precise === null) return stated
  if (precise - stated <= second && stated - precise <= second) return precise
  const [first, other] = ['blockTimestamp', 'blockTimestampMilliseconds']
  throw contradiction(at, first, raw(at, first), other, raw(at, other))
}

const second = 1_000_000n

/**
 * Throws `DecodeError` if a row belongs to another chain than the requested one. If the job names the chain by its blockchain id, a numeric
 * chain id cannot be compared.
 */
export function checkChain(at: Reading, chainId: string): void {
  const found = optionalText(at, 'chainId')
  if (found === null || found === chainId || isNumber(found) !== isNumber(chainId)) return
  throw new DecodeError(`The answer is about chain ${found}, not ${chainId}.`, {
    code: 'decode.other-chain',
    details: { 'asked for': chainId, found },
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

/** Throws `DecodeError` if the stated standard is not `expected`. `token` names the object with the token; null: the item itself. */
export function checkStandard(item: Reading, token: string | null, expected: TokenStandard): void {
  const { object } = item
  const stated = (token === null ? object : (object[token] as typeof object))['ercType']
  // Most answers write it like this, and reading the field takes longer than the rest.
  if (stated === `ERC-${expected.slice(3)}`) return
  const at = token === null ? item : reading(object[token], item, token, -1, item.context, tokenShape)
  const found = optionalText(at, 'ercType')
  if (found !== null && standardOf(found) !== expected) throw otherStandard(at, found)
}

/** The reader of the row reports the unknown fields of tokens. */
const tokenShape = newShape()

/** Returns the error about a standard without a table. The decoder does not guess where its rows belong. */
export function otherStandard(at: Reading, found: string): DecodeError {
  const path = pathOf(at)
  return new DecodeError(`${path} is of a token standard that chainlake does not know here: ${found}.`, {
    code: 'decode.token-standard',
    details: { item: path, found },
    hint: 'Nothing of this unit was written. Update chainlake, or leave the contract or wallet out of the job.',
  })
}
