import { createReader, ReadFailure } from '../linear/reader.ts'
import { enterList, skipItem } from './prefix.ts'

/**
 * The bytes of an item of an RLP list, prefix included, whatever the others are; null when the bytes are no list with
 * that many items.
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
