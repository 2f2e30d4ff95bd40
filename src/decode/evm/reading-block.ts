import { DecodeError } from '../../errors.ts'

/** Runs a decoder of a block. Adds block and chain to a `DecodeError`. */
export function readingBlock<T>(number: number, { chainId }: { readonly chainId: string }, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    throw new DecodeError(`EVM block ${number} of chain ${chainId}: ${cause.message}`, {
      code: cause.code,
      details: { block_number: number, chain_id: chainId, ...cause.details },
      ...(cause.hint === undefined ? {} : { hint: cause.hint }),
      cause,
    })
  }
}
