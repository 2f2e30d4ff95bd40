import { createReader, ReadFailure } from '../linear/reader.ts'
import { enterList, enterString, isList } from './prefix.ts'

/** The bytes of the first item of an RLP list, prefix included; null when the bytes are no list with an item. */
export function firstOfList(bytes: Uint8Array): Uint8Array | null {
  try {
    const reader = createReader(bytes)
    enterList(reader)
    const start = reader.offset
    if (isList(reader)) return bytes.subarray(start, enterList(reader))
    const length = enterString(reader)
    return bytes.subarray(start, reader.offset + length)
  } catch (cause) {
    if (cause instanceof ReadFailure) return null
    throw cause
  }
}
