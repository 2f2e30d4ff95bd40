import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { CatalogError } from '../../errors.ts'
import { type Checkpoint, readCheckpoint } from './checkpoint.ts'

/**
 * DuckDB replays any write-ahead file next to the catalog. If the catalog has another state, rows are silently lost or duplicated.
 * Therefore the first transaction of each write-ahead file records, as the comment of a table, the checkpoint that it follows.
 */
const markPattern = /chainlake: follows checkpoint (\d+) ([0-9a-f]{32})/
const markedTable = 'chainlake.version'

/** Bytes to read from the start of a write-ahead file. They include the mark, which is among the first entries. */
const beginningBytes = 4096
const versionBytes = 8
/** Entry types of DuckDB: the start of a checkpoint, and the end of a transaction. */
const checkpointEntry = 99
const flushEntry = 100

export function walFile(file: string): string {
  return `${file}.wal`
}

export function walBytes(file: string): number {
  return statSync(walFile(file), { throwIfNoEntry: false })?.size ?? 0
}

/** SQL that marks a new write-ahead file and the checkpoint that is made from it. */
export function markSql(checkpoint: Checkpoint | null): string {
  const follows = checkpoint === null ? '' : `follows checkpoint ${checkpoint.iteration} ${checkpoint.fingerprint} `
  return `COMMENT ON TABLE ${markedTable} IS 'chainlake: ${follows}${randomUUID()}'`
}

/**
 * Refuses a write-ahead file that does not belong to the catalog next to it. A file without a mark is left to DuckDB, and so is a file with
 * a checkpoint that was made just before a crash. Call it while this process does not hold the catalog lock, because closing a file frees
 * the lock. It reads only a few blocks for each opening, so it reads synchronously.
 *
 * @throws CatalogError `catalog.generation`.
 */
export function verifyWriteAhead(file: string): void {
  if (walBytes(file) === 0) return
  let same = 0
  let last = ''
  // Another process may make a checkpoint meanwhile. The two reads are inconsistent then, and the next attempt reads something else.
  for (let attempt = 0; attempt < 1000; attempt++) {
    const checkpoint = withFile(file, readCheckpoint)
    const refused = withFile(walFile(file), (wal) => refusal(checkpoint, wal))
    if (checkpoint === null || refused === null) return
    same = checkpoint.fingerprint === last ? same + 1 : 0
    last = checkpoint.fingerprint
    if (same > 3) throw otherGeneration(file, checkpoint, refused)
  }
}

type Mark = { readonly iteration: bigint; readonly fingerprint: string }

/** The mark of a write-ahead file that follows another checkpoint; null if the file belongs to the catalog or has no mark. */
function refusal(checkpoint: Checkpoint | null, wal: number): Mark | null {
  const bytes = Buffer.allocUnsafe(beginningBytes)
  const found = markPattern.exec(bytes.toString('latin1', 0, readSync(wal, bytes, 0, beginningBytes, 0)))
  const mark = found === null ? null : { iteration: BigInt(found[1] ?? 0), fingerprint: found[2] ?? '' }
  if (checkpoint === null || mark === null || mark.fingerprint === checkpoint.fingerprint) return null
  const isMadeOfIt = mark.iteration + 1n === checkpoint.iteration && lastCheckpoint(wal) === checkpoint.listAt
  return isMadeOfIt ? null : mark
}

/**
 * Pointer to the list of tables of the checkpoint at the end of a write-ahead file; null if the file ends with a transaction. The file is a
 * version followed by entries: length, checksum, bytes. Only the end of its transaction follows the entry of a checkpoint.
 */
function lastCheckpoint(wal: number): bigint | null {
  const head = Buffer.alloc(48)
  let found: bigint | null = null
  for (let position = versionBytes; ; ) {
    const bytesRead = readSync(wal, head, 0, head.length, position)
    if (bytesRead < 19) return found
    const kind = head.readUInt16LE(16) === 100 ? head[18] : undefined
    if (kind === checkpointEntry) found = pointerIn(head.subarray(19, bytesRead))
    else if (kind !== flushEntry) found = null
    position += 16 + Number(head.readBigUInt64LE(0))
  }
}

/** The pointer in the entry of a checkpoint. Field 101 is an object; its field 100 is omitted if the pointer is 0. */
function pointerIn(bytes: Buffer): bigint | null {
  if (bytes.length < 6 || bytes.readUInt16LE(0) !== 101) return null
  if (bytes.readUInt16LE(2) !== 100) return 0n
  let pointer = 0n
  for (let at = 4, shift = 0n; at < bytes.length; at++, shift += 7n) {
    const byte = bytes[at] ?? 0
    pointer |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return pointer
  }
  return null
}

/** Null if the file is missing or unreadable; DuckDB reports this later. */
function withFile<T>(path: string, use: (descriptor: number) => T): T | null {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function otherGeneration(file: string, checkpoint: Checkpoint, wal: Mark): CatalogError {
  const catalogIsOlder = checkpoint.iteration <= wal.iteration
  const wrong = catalogIsOlder ? 'the catalog is older' : 'the write-ahead file is older'
  return new CatalogError(`The catalog and its write-ahead file have different states: ${wrong}.`, {
    code: 'catalog.generation',
    details: {
      file,
      'write-ahead file': walFile(file),
      'state of the catalog': checkpoint.iteration,
      'state that the write-ahead file follows': wal.iteration,
    },
    hint: 'Nothing was changed. Restore the catalog from a backup or a catalog file with chainlake restore; do not copy its files by hand. To keep this catalog as it is, move the write-ahead file away: the next run fetches again what only that file contained.',
  })
}
