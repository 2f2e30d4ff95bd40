import type { Table } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { reachStep } from '../lib/step.ts'
import type { Stream } from '../model.ts'
import { type Commit, commitSlice } from './commit.ts'
import { type CoveredSlice, readCoverage } from './coverage.ts'
import { createEmptyLake } from './create-lake.ts'
import { verifyDeclarations } from './ensure-table.ts'
import { type CatalogFiles, readFiles } from './files.ts'
import { type Access, type AfterClose, hold } from './hold.ts'
import { lakeExists } from './lake-folder.ts'
import { type NetworkFacts, readNetwork, recordNetwork } from './network.ts'
import { type LakePaths, lakePaths } from './paths.ts'
import { publishCopy, relocate } from './publish-copy.ts'
import { type Recovery, recoverLake } from './recovery.ts'
import { endRun, readRuns, registerRun } from './runs.ts'
import type { Session } from './session.ts'
import { latestSnapshotId } from './snapshot.ts'
import { type LakeStatus, readStatus } from './status.ts'
import { checkVersions } from './versions.ts'

export type { Commit } from './commit.ts'
export type { CoveredSlice } from './coverage.ts'
export type { CatalogFile, CatalogFiles, CatalogTable } from './files.ts'
export type { ChainFacts, NetworkFacts } from './network.ts'
export type { Recovery } from './recovery.ts'
export type { RunStatus } from './runs.ts'
export type { LakeStatus, StreamStatus, TableStatus } from './status.ts'
export { lakeExists }

export type Run = {
  /** Part of the names of the files that the run writes. */
  readonly id: string
  /** What was found of runs that died. */
  readonly recovery: Recovery
  /** Says how the run ended and frees its streams; call it when its last part is written. */
  readonly end: (outcome: string) => Promise<void>
}

/**
 * The catalog of a lake. Each operation opens the file, does one transaction and closes it again; another process that
 * holds it is waited for (`LockedError` after `waitMs`). All of them may throw StorageError, CatalogError and
 * UnknownVersionError and have then changed nothing.
 */
export type Catalog = {
  /** Registers a run of these streams and removes what dead runs left. LockedError when a live run has one of them. */
  readonly startRun: (options: { streams: readonly Stream[]; command: string }) => Promise<Run>
  /** Committed slices of the stream by table, sorted; an empty list for a table without any. */
  readonly coverage: (stream: Stream, tables: readonly string[]) => Promise<Map<string, CoveredSlice[]>>
  /** Makes parts and coverage visible in one transaction; see `commitSlice`. Returns the snapshot's id. */
  readonly commit: (commit: Commit) => Promise<number>
  readonly network: (name: string) => Promise<NetworkFacts | null>
  /** OtherSourceError when the lake knows the network by other ids. */
  readonly recordNetwork: (facts: NetworkFacts) => Promise<void>
  readonly files: () => Promise<CatalogFiles>
  readonly snapshotId: () => Promise<number>
  readonly status: () => Promise<LakeStatus>
  /** Replaces `lake.ducklake` by the catalog as it is now, with the lake's present place in it. */
  readonly publishCopy: () => Promise<void>
  /** Writes the lake's present place into the catalog, as after a move. */
  readonly relocate: () => Promise<void>
}

export type CatalogOptions = {
  /** How long another holder of the catalog is waited for, in milliseconds; default 60,000. */
  readonly waitMs?: number
}

/** Makes a lake in an empty or absent folder, or opens the one that is there. */
export async function createLake(
  lakeDir: string,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  await createEmptyLake(lakeDir)
  return openCatalog(lakeDir, tables, options)
}

/** Opens an existing lake; `tables` are all declared ones. Refuses a catalog that this version does not know. */
export async function openCatalog(
  lakeDir: string,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  const paths = lakePaths(lakeDir)
  if (!(await lakeExists(lakeDir)))
    throw new ConfigError('There is no lake.', {
      code: 'lake.missing',
      details: { folder: paths.lake },
      hint: 'Give --lake the folder of a lake, or make one with chainlake run.',
    })
  const waitMs = options.waitMs ?? 60_000
  const within = <T>(access: Access, use: (session: Session, afterClose: AfterClose) => Promise<T>): Promise<T> =>
    hold(paths.catalog, { access, waitMs }, async (session, afterClose) => {
      await checkVersions(session, paths.catalog)
      return use(session, afterClose)
    })
  const read = <T>(use: (session: Session) => Promise<T>) => within('READ_ONLY', use)
  const write = <T>(use: (session: Session, afterClose: AfterClose) => Promise<T>) => within('READ_WRITE', use)
  await read(async () => undefined)
  return {
    startRun: (run) => startRun(write, paths, tables, run),
    coverage: (stream, names) => read((session) => coverageOf(session, stream, names)),
    commit: async (commit) => {
      reachStep('commit.before-open')
      const snapshotId = await write((session) => commitSlice(session, tables, commit))
      reachStep('commit.after-close')
      return snapshotId
    },
    network: (name) => read((session) => readNetwork(session, name)),
    recordNetwork: (facts) => write((session) => recordNetwork(session, facts)),
    files: () => read((session) => readFiles(session, tables)),
    snapshotId: () => read(latestSnapshotId),
    status: () => read((session) => readStatus(session, paths)),
    publishCopy: () => write((session, afterClose) => publishCopy(session, paths, afterClose)),
    relocate: () => write((session) => relocate(session, paths)),
  }
}

type Write = <T>(use: (session: Session) => Promise<T>) => Promise<T>

async function startRun(
  write: Write,
  paths: LakePaths,
  tables: readonly Table[],
  options: { streams: readonly Stream[]; command: string },
): Promise<Run> {
  const { id, lock, recovery } = await write(async (session) => {
    await verifyDeclarations(session, tables)
    const runs = await readRuns(session, paths)
    const registered = await registerRun(session, paths, runs, options)
    reachStep('run.registered')
    try {
      return { ...registered, recovery: await recoverLake(session, paths, runs) }
    } catch (error) {
      await endRun(session, registered.id, 'failed').catch(() => undefined)
      await registered.lock.release()
      throw error
    }
  })
  return {
    id,
    recovery,
    end: async (outcome) => {
      reachStep('run.before-end')
      await write(async (session) => {
        await endRun(session, id, outcome)
        await lock.release()
        // At rest the catalog is one file. What is committed is durable without this.
        await session.run('CHECKPOINT').catch(() => undefined)
      })
      reachStep('run.after-end')
    },
  }
}

async function coverageOf(
  session: Session,
  stream: Stream,
  tables: readonly string[],
): Promise<Map<string, CoveredSlice[]>> {
  const rows = await readCoverage(session, stream)
  return new Map(
    tables.map((table) => [
      table,
      rows.filter((row) => row.table === table).map(({ slice, ends }) => ({ slice, ends })),
    ]),
  )
}
