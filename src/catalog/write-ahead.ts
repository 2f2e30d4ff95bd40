import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { CatalogError } from '../errors.ts'
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
 * Refuses a write-ahead file that does not belong to the catalog beside it. One without a mark (older versions of chainlake) and one whose
 * checkpoint was made just before a crash are DuckDB's to judge. Call it while this process does not hold the catalog: closing a file
 * frees the lock.
 *
 * @throws CatalogError `catalog.generation`.
 */
export async function verifyWriteAhead(file: string): Promise<void> {
  if (walBytes(file) === 0) return
  // Another process may make a checkpoint meanwhile: what is read then does not fit together.
  for (let attempt = 0; attempt < 1000; attempt++) {
    const before = await checkpointOf(file)
    const wal = await readWal(file)
    const after = await checkpointOf(file)
    if (before?.fingerprint !== after?.fingerprint) continue
    if (before === null || wal === null || belongs(before, wal)) return
    if (attempt > 2) throw otherGeneration(file, before, wal)
  }
}

type Wal = {
  readonly iteration: bigint
  readonly fingerprint: string
  /** Where the checkpoint that it ends with has its list of tables; null when it ends with a transaction. */
  readonly checkpointAt: bigint | null
}

function belongs(checkpoint: Checkpoint, wal: Wal): boolean {
  if (wal.fingerprint === checkpoint.fingerprint) return true
  return wal.iteration + 1n === checkpoint.iteration && wal.checkpointAt === checkpoint.listAt
}

/** Null when there is none or it has no mark. */
async function readWal(file: string): Promise<Wal | null> {
  const wal = await open(walFile(file), 'r').catch(() => null)
  if (wal === null) return null
  try {
    const { buffer, bytesRead } = await wal.read(Buffer.alloc(beginningBytes), 0, beginningBytes, 0)
    const mark = markPattern.exec(buffer.toString('latin1', 0, bytesRead))
    if (mark === null) return null
    return { iteration: BigInt(mark[1] ?? 0), fingerprint: mark[2] ?? '', checkpointAt: await lastCheckpoint(wal) }
  } finally {
    await wal.close()
  }
}

/**
 * After the version come entries: length, checksum, bytes. The one of a checkpoint is the last but for the end of its
 * transaction.
 */
async function lastCheckpoint(wal: FileHandle): Promise<bigint | null> {
  const head = Buffer.alloc(48)
  let found: bigint | null = null
  for (let position = versionBytes; ; ) {
    const { bytesRead } = await wal.read(head, 0, head.length, position)
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

async function checkpointOf(file: string): Promise<Checkpoint | null> {
  const handle = await open(file, 'r').catch(() => null)
  if (handle === null) return null
  try {
    return await readCheckpoint(handle)
  } finally {
    await handle.close()
  }
}

function otherGeneration(file: string, checkpoint: Checkpoint, wal: Wal): CatalogError {
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
