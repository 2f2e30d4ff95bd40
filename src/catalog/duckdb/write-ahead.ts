import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { CatalogError } from '../../errors.ts'
import { type Checkpoint, readCheckpoint } from './checkpoint.ts'

/**
 * DuckDB replays any write-ahead file that lies beside the catalog: over a catalog of another time it loses rows or doubles them without a
 * word. So the first transaction of each says which checkpoint it builds on, as the comment of a table.
 */
const markPattern = /chainlake: follows checkpoint (\d+) ([0-9a-f]{32})/
const markedTable = 'chainlake.version'

/** Enough for the first entries of a write-ahead file, of which the mark is one. */
const beginningBytes = 4096
const versionBytes = 8
/** DuckDB's numbers of the kinds of entries: the one that a checkpoint begins with, and the end of a transaction. */
const checkpointEntry = 99
const flushEntry = 100

export function walFile(file: string): string {
  return `${file}.wal`
}

export function walBytes(file: string): number {
  return statSync(walFile(file), { throwIfNoEntry: false })?.size ?? 0
}

/** SQL that marks the write-ahead file which it begins, and with it the checkpoint that follows. */
export function markSql(checkpoint: Checkpoint | null): string {
  const follows = checkpoint === null ? '' : `follows checkpoint ${checkpoint.iteration} ${checkpoint.fingerprint} `
  return `COMMENT ON TABLE ${markedTable} IS 'chainlake: ${follows}${randomUUID()}'`
}

/**
 * Refuses a write-ahead file that does not belong to the catalog beside it. One without a mark and one whose
 * checkpoint was made just before a crash are DuckDB's to judge. Call it while this process does not hold the catalog: closing a file
 * frees the lock. It reads a few blocks and is done once for each hold, so it does not wait for the disk by promises.
 *
 * @throws CatalogError `catalog.generation`.
 */
export function verifyWriteAhead(file: string): void {
  if (walBytes(file) === 0) return
  let same = 0
  let last = ''
  // Another process may make a checkpoint meanwhile: what is read then does not fit together, and is another thing the next time.
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

/** The mark of a write-ahead file that builds on another checkpoint; null for one that belongs there or has no mark. */
function refusal(checkpoint: Checkpoint | null, wal: number): Mark | null {
  const bytes = Buffer.allocUnsafe(beginningBytes)
  const found = markPattern.exec(bytes.toString('latin1', 0, readSync(wal, bytes, 0, beginningBytes, 0)))
  const mark = found === null ? null : { iteration: BigInt(found[1] ?? 0), fingerprint: found[2] ?? '' }
  if (checkpoint === null || mark === null || mark.fingerprint === checkpoint.fingerprint) return null
  const isMadeOfIt = mark.iteration + 1n === checkpoint.iteration && lastCheckpoint(wal) === checkpoint.listAt
  return isMadeOfIt ? null : mark
}

/**
 * Where the checkpoint that a write-ahead file ends with has its list of tables; null when it ends with a transaction. After the version
 * come entries: length, checksum, bytes. The one of a checkpoint is the last but for the end of its transaction.
 */
function lastCheckpoint(wal: number): bigint | null {
  const head = Buffer.alloc(48)
  let found: bigint | null = null
  for (let position = versionBytes; ; ) {
    const bytesRead = readSync(wal, head, 0, head.length, position)
    if (bytesRead < 19) return found
    const kind = head.readUInt16LE(16) === 100 ? head[18] : undefined
    if (kind === checkpointEntry) found = placeIn(head.subarray(19, bytesRead))
    else if (kind !== flushEntry) found = null
    position += 16 + Number(head.readBigUInt64LE(0))
  }
}

/** The place in the entry of a checkpoint: field 101 holds an object, whose field 100 is left out when the place is 0. */
function placeIn(bytes: Buffer): bigint | null {
  if (bytes.length < 6 || bytes.readUInt16LE(0) !== 101) return null
  if (bytes.readUInt16LE(2) !== 100) return 0n
  let place = 0n
  for (let at = 4, shift = 0n; at < bytes.length; at++, shift += 7n) {
    const byte = bytes[at] ?? 0
    place |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return place
  }
  return null
}

/** Null when the file is not there or may not be read: then DuckDB says so. */
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
  return new CatalogError(`The catalog and the write-ahead file beside it are not of one time: ${wrong}.`, {
    code: 'catalog.generation',
    details: {
      file,
      'write-ahead file': walFile(file),
      'state of the catalog': checkpoint.iteration,
      'state that the write-ahead file follows': wal.iteration,
    },
    hint: 'Nothing was changed. Copy files of a lake back with chainlake restore, which takes a backup or a catalog file. To keep this catalog as it is, move the write-ahead file away; what it alone holds is fetched again.',
  })
}
