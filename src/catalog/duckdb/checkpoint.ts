import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'

/** A checkpoint of a DuckDB file: the state in its blocks, on which the write-ahead file builds. */
export type Checkpoint = {
  /** Counts the checkpoints of the file. */
  readonly iteration: bigint
  /** Pointer to its list of tables, as DuckDB encodes it: the block number, with the index of the 64th of the block in the top byte. */
  readonly listAt: bigint
  /** Identifies the checkpoint. A diverged copy of the catalog may have another checkpoint with the same number. */
  readonly fingerprint: string
}

const headerAt = [4096, 8192]
const headerBytes = 4096
const blocksAt = 12_288
const noBlock = 2n ** 64n - 1n
const blockMask = 2n ** 56n - 1n
/** A longer list of tables is invalid. */
const maxChunks = 100_000

/**
 * Reads the current checkpoint of a DuckDB file without opening it as a database, which would replay the write-ahead file. Null if the file
 * is not a DuckDB file. `descriptor` refers to the open file. See storage/storage_info.hpp and metadata/metadata_manager.cpp of DuckDB.
 */
export function readCheckpoint(descriptor: number): Checkpoint | null {
  const start = bytesAt(descriptor, 0, blocksAt)
  if (start === null || start.toString('latin1', 8, 12) !== 'DUCK') return null
  const [first, second] = headerAt.map((at) => start.subarray(at, at + headerBytes)) as [Buffer, Buffer]
  const header = iterationOf(first) > iterationOf(second) ? first : second
  const listAt = header.readBigUInt64LE(16)
  const blockBytes = Number(header.readBigUInt64LE(40))
  const hash = createHash('sha256').update(header)
  // The list of tables contains the mark (see write-ahead.ts), which is unique for each checkpoint.
  for (const chunk of chunksOfList(descriptor, listAt, blockBytes)) {
    if (chunk === null) return null
    hash.update(chunk)
  }
  return { iteration: iterationOf(header), listAt, fingerprint: hash.digest('hex').slice(0, 32) }
}

function iterationOf(header: Buffer): bigint {
  return header.readBigUInt64LE(8)
}

/** The chunks of a list. DuckDB stores them in 64ths of blocks; each begins with the pointer to the next one. Yields null for a missing chunk. */
function* chunksOfList(descriptor: number, listAt: bigint, blockBytes: number): Generator<Buffer | null> {
  const chunkBytes = Math.floor((blockBytes - 8) / 64 / 8) * 8
  let block = { number: -1n, bytes: null as Buffer | null }
  let count = 0
  for (let at = listAt; at !== noBlock; ) {
    const number = at & blockMask
    if (block.number !== number)
      block = { number, bytes: bytesAt(descriptor, blocksAt + Number(number) * blockBytes, blockBytes) }
    const from = 8 + Number(at >> 56n) * chunkBytes
    const chunk = block.bytes?.subarray(from, from + chunkBytes)
    if (chunk === undefined || chunk.length < 8 || count++ > maxChunks) {
      yield null
      return
    }
    yield chunk
    at = chunk.readBigUInt64LE(0)
  }
}

/** Null if the file ends earlier. */
function bytesAt(descriptor: number, position: number, length: number): Buffer | null {
  if (!Number.isSafeInteger(position) || !(length > 0 && length <= 2 ** 24)) return null
  const bytes = Buffer.allocUnsafe(length)
  return readSync(descriptor, bytes, 0, length, position) === length ? bytes : null
}
