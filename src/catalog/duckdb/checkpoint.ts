import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'

/** A checkpoint of a DuckDB file: the state in its blocks, on which the write-ahead file builds. */
export type Checkpoint = {
  /** Counts the checkpoints of the file. */
  readonly iteration: bigint
  /** Where its list of tables begins, as DuckDB writes such places: number of the block, and which 64th of it in the top byte. */
  readonly listAt: bigint
  /** Tells it from every other checkpoint, also from one of the same number of a copy that went another way. */
  readonly fingerprint: string
}

const headerAt = [4096, 8192]
const headerBytes = 4096
const blocksAt = 12_288
const noBlock = 2n ** 64n - 1n
const blockMask = 2n ** 56n - 1n
/** A list of tables that is longer is none. */
const mostPieces = 100_000

/**
 * Reads which checkpoint a DuckDB file is at, without opening it as a database: that would replay the write-ahead file. Null for what is no
 * such file. `descriptor` is that of the open file. See DuckDB's storage/storage_info.hpp and metadata/metadata_manager.cpp.
 */
export function readCheckpoint(descriptor: number): Checkpoint | null {
  const start = bytesAt(descriptor, 0, blocksAt)
  if (start === null || start.toString('latin1', 8, 12) !== 'DUCK') return null
  const [first, second] = headerAt.map((at) => start.subarray(at, at + headerBytes)) as [Buffer, Buffer]
  const header = iterationOf(first) > iterationOf(second) ? first : second
  const listAt = header.readBigUInt64LE(16)
  const blockBytes = Number(header.readBigUInt64LE(40))
  const hash = createHash('sha256').update(header)
  // The list of tables has the mark in it (see write-ahead.ts), which no two checkpoints share.
  for (const piece of piecesOf(descriptor, listAt, blockBytes)) {
    if (piece === null) return null
    hash.update(piece)
  }
  return { iteration: iterationOf(header), listAt, fingerprint: hash.digest('hex').slice(0, 32) }
}

function iterationOf(header: Buffer): bigint {
  return header.readBigUInt64LE(8)
}

/** The pieces of a list that DuckDB keeps in 64ths of blocks, each beginning with the place of the next; null for one that is not there. */
function* piecesOf(descriptor: number, listAt: bigint, blockBytes: number): Generator<Buffer | null> {
  const pieceBytes = Math.floor((blockBytes - 8) / 64 / 8) * 8
  let block = { number: -1n, bytes: null as Buffer | null }
  let count = 0
  for (let at = listAt; at !== noBlock; ) {
    const number = at & blockMask
    if (block.number !== number)
      block = { number, bytes: bytesAt(descriptor, blocksAt + Number(number) * blockBytes, blockBytes) }
    const from = 8 + Number(at >> 56n) * pieceBytes
    const piece = block.bytes?.subarray(from, from + pieceBytes)
    if (piece === undefined || piece.length < 8 || count++ > mostPieces) {
      yield null
      return
    }
    yield piece
    at = piece.readBigUInt64LE(0)
  }
}

/** Null when the file ends before. */
function bytesAt(descriptor: number, position: number, length: number): Buffer | null {
  if (!Number.isSafeInteger(position) || !(length > 0 && length <= 2 ** 24)) return null
  const bytes = Buffer.allocUnsafe(length)
  return readSync(descriptor, bytes, 0, length, position) === length ? bytes : null
}
