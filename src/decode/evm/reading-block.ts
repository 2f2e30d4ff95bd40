import { DecodeError } from '../../errors.ts'

/** Runs a decoder of a block. Adds the block to a `DecodeError`. */
export function readingBlock<T>(number: number, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    throw new DecodeError(`EVM block ${number}: ${cause.message}`, {
      code: cause.code,
      details: { block_number: number, ...cause.details },
      ...(cause.hint === undefined ? {} : { hint: cause.hint }),
      cause,
    })
  }
}
