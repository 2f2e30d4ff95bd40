import { createReader, ReadFailure } from '../linear/reader.ts'
import { enterList, skipItem } from './prefix.ts'

/**
 * Returns the bytes of one item of an RLP list, with its prefix, and does not check the other items. Null if the bytes are not a list or
 * the list is too short.
 */
export function itemOfList(bytes: Uint8Array, position: number): Uint8Array | null {
  try {
    const reader = createReader(bytes)
    const end = enterList(reader)
    for (let i = 0; i < position; i++) skipItem(reader)
    const start = reader.offset
    skipItem(reader)
    return reader.offset > end ? null : bytes.subarray(start, reader.offset)
  } catch (cause) {
    if (cause instanceof ReadFailure) return null
    throw cause
  }
}
