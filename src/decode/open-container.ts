import { type OpenedContainer, openOnce } from '../../codec/opened-container.ts'
import { DecodeError } from '../errors.ts'
import type { Container } from '../model.ts'
import { type BlockRecord, recordFacts, recordName } from './container-facts.ts'

/**
 * Splits a container of a block index. Throws `DecodeError` if the id derived from the bytes differs from the node's. Such bytes never
 * become rows.
 */
export function openContainer(container: Container): OpenedContainer {
  const opened = openOnce(container.bytes)
  checkId(container, opened.id)
  return opened
}

/** Throws `DecodeError` if the derived id differs from the node's. */
export function checkId(container: Container, derived: string): void {
  if (derived === container.id) return
  throw new DecodeError(`The bytes of container ${container.index} do not give its id.`, {
    code: 'decode.container-id',
    details: { ...recordFacts(container), derived },
    hint: 'The answer is damaged: run again, or use another node.',
  })
}

/** Runs a decoder. Adds the record to a `DecodeError`. */
export function decoding<T>(record: BlockRecord, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    const id = 'id' in record ? ` (${record.id})` : ''
    throw new DecodeError(`${recordName(record)}${id}: ${cause.message}`, {
      code: cause.code,
      details: { ...recordFacts(record), ...cause.details },
      ...(cause.hint !== undefined ? { hint: cause.hint } : {}),
      cause,
    })
  }
}
