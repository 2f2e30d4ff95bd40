import { resolve } from 'node:path'
import type { Table } from '../define/index.ts'
import { ConfigError, LockedError } from '../errors.ts'
import { reachStep } from '../lib/step.ts'
import { abortLater } from '../lib/wait.ts'
import type { LakeSnapshot, Part } from '../model.ts'
import type { Held } from '../store/store.ts'
import { readFileEnds } from './add-files.ts'
import {
  type Commit,
  commitParts,
  commitText,
  type OpenObservation,
  openObservation,
  readObservationIds,
  restartObservation,
  stageParts,
} from './commit/commit.ts'
import {
  changeAcceptedGaps,
  coverageOf,
  coveragesOf,
  readAcceptedGaps,
  readHighest,
  readNewestTimes,
  readStretches,
  readTableExtents,
  type StreamGap,
} from './commit/coverage.ts'
import { readCoveredFiles, readFileBounds, readFileStats, readInventory } from './commit/inventory.ts'
import { type Removal, removeSlices, replaceFiles } from './commit/replace-files.ts'
import { type CatalogFiles, type Moment, readFiles, readFilesAsOf, readSmallFiles, readTableFiles } from './files.ts'
import { findLake, lakeExists, verifyPlace } from './lake.ts'
import { createSharedLimits, giveBackUnits, readSpentUnits, takeUnits } from './limits.ts'
import { readLosses, removeDropped } from './lost-files.ts'
import { type LakeLocation, type LakePaths, relocate } from './place.ts'
import { countTasks, lockOwner, readMeasures, writeRunRecord } from './runs.ts'
import { checkVersions, upgrade } from './schema.ts'
import {
  type Backend,
  hasSnapshot,
  latestSnapshot,
  latestSnapshotId,
  readSnapshots,
  type Session,
  type WaitOptions,
} from './session.ts'
import { readStatus } from './status.ts'
import { readAnchors, readNetwork, readOwnViews, readStreamFacts, recordAnchors, recordNetwork } from './streams.ts'
import { readDeclaredTables } from './tables.ts'
import {
  beginWaiting,
  countWaiting,
  forgetSnapshots,
  readLastExpiry,
  removeTemporaries,
  removeWaiting,
  startRun,
} from './upkeep.ts'

/** The interface of this folder to the rest of the project. */

export type { FileSource } from './add-files.ts'
export type { Commit, OpenObservation } from './commit/commit.ts'
export type {
  CoverageRow,
  Covered,
  CoveredSlice,
  ReadCounts,
  StreamGap,
} from './commit/coverage.ts'
export type { CoveredFiles, Inventory, InventoryFile, InventoryTable } from './commit/inventory.ts'
export type { Removal } from './commit/replace-files.ts'
export type { CatalogFiles } from './files.ts'
export { hasCatalog, lakeExists, lakePaths, recordedFiles } from './lake.ts'
export type { SpendingAccount } from './limits.ts'
export type { NewLoss } from './lost-files.ts'
export { firstLost, lostText } from './lost-files.ts'
export type { Measure, RunRecord } from './runs.ts'
export { streamTaken, type TaskCounts, taskQueue } from './runs.ts'
export type { LakeStatus, StreamStatus, TableStatus } from './status.ts'
export type { ChainAnchor, NetworkFacts, StreamFacts } from './streams.ts'
export { verifySameNetwork } from './streams.ts'
export { hasKeptBounds } from './tables.ts'
export type { RegisteredRun } from './upkeep.ts'

/** Opens an existing lake; `tables` are all declared tables. Throws if this version of chainlake does not know the version of the catalog. */
export async function openCatalog(
  lake: LakeLocation,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  if (!(await lakeExists(lake)))
    throw new ConfigError('The lake does not exist.', {
      code: 'lake.missing',
      details: { folder: resolve(lake.folder) },
      hint: 'Set --lake to the folder of a lake, or create one with chainlake run.',
    })
  const { paths, backend } = await openLake(lake, options)
  return openCatalogOf(backend, paths, tables, options)
}

/** Opens an existing lake without reading its catalog. The first operation makes the checks of `openCatalog`. */
export async function catalogOfLake(
  lake: LakeLocation,
  tables: readonly Table[],
  options: CatalogOptions = {},
): Promise<Catalog> {
  const { paths, backend } = await openLake(lake, options)
  return catalogOf(backend, paths, tables, options)
}

/** Opens the catalog of a lake in the given backend. */
export async function openCatalogOf(
  backend: Backend,
  paths: LakePaths,
  tables: readonly Table[],
  options: Omit<CatalogOptions, 'waitMs'> = {},
): Promise<Catalog> {
  await backend.read(
    async (session) => {
      await checkVersions(session, backend.name)
      await verifyPlace(session, paths)
    },
    { stop: options.stop },
  )
  return catalogOf(backend, paths, tables, options)
}

async function openLake(lake: LakeLocation, { waitMs = 60_000, stop }: CatalogOptions) {
  const paths = await findLake(lake, { waitMs, stop })
  return { paths, backend: await paths.endpoint.open(paths, { waitMs, stop }) }
}

/**
 * The catalog of a lake. Each operation opens the catalog, runs one transaction and closes it again. If another process holds the
 * catalog lock, the operation waits and throws `LockedError` after `waitMs`. All operations may throw StorageError, CatalogError and
 * UnknownVersionError; they have changed nothing then.
 */
export type Catalog = Readonly<ReturnType<typeof catalogOf>>

type Step = Parameters<typeof reachStep>[0]

/** The operations of a catalog that a backend stores. */
export function catalogOf(backend: Backend, paths: LakePaths, tables: readonly Table[], options: CatalogOptions) {
  const { name, locks } = backend
  const { graceMs = 4_000 } = options
  const atOnce: WaitOptions = { stop: options.stop }
  const after = (milliseconds: number): WaitOptions =>
    options.stop === undefined ? {} : { stop: abortLater(options.stop, milliseconds) }
  const committing = after(graceMs)
  const ending: WaitOptions = { ...after(1.5 * graceMs), locks: 'may be lost' }
  const read = <T>(use: (session: Session) => Promise<T>, waiting = committing): Promise<T> =>
    backend.read(async (session) => {
      await checkVersions(session, name)
      return use(session)
    }, waiting)
  const upgraded =
    <T>(use: (session: Session) => Promise<T>) =>
    async (session: Session): Promise<T> => {
      await upgrade(session, await checkVersions(session, name))
      return use(session)
    }
  /** Records in the folder of the lake which database holds the catalog. Every process that writes into the folder does this first. */
  const recordCatalogPlace = async (session: Session): Promise<void> => {
    await paths.endpoint.record(paths.lake, async () => (await latestSnapshot(session)).lakeId)
  }
  const write: Backend['write'] = (use, waiting = committing) => backend.write(upgraded(use), waiting)
  /** The operation that reads with a function; `writing`: that writes. */
  const reading =
    <A extends unknown[], T>(use: (session: Session, ...given: A) => Promise<T>, waiting?: WaitOptions) =>
    (...given: A): Promise<T> =>
      read((session) => use(session, ...given), waiting)
  const writing =
    <A extends unknown[], T>(use: (session: Session, ...given: A) => Promise<T>, waiting?: WaitOptions) =>
    (...given: A): Promise<T> =>
      write((session) => use(session, ...given), waiting)
  /** The operation that opens an observation, and removes the staged files of the one that it replaces. */
  const opening =
    <A extends unknown[]>(use: (session: Session, ...given: A) => ReturnType<typeof openObservation>) =>
    async (...given: A): Promise<OpenObservation> => {
      const { observation, dropped } = await write((session) => use(session, ...given))
      await removeDropped(paths.store, dropped)
      return observation
    }
  /** The operation with steps before the catalog is opened and after it is closed. */
  const stepping =
    <A extends unknown[], T>(operation: (...given: A) => Promise<T>, after: Step, before?: Step) =>
    async (...given: A): Promise<T> => {
      if (before !== undefined) reachStep(before)
      const result = await operation(...given)
      reachStep(after)
      return result
    }
  return {
    /** The data files of the lake. */
    store: paths.store,
    /** Whether readers attach the copy `lake.ducklake`, which each publication writes. */
    publishesCopy: paths.endpoint.publishesCopy,
    /**
     * Registers a run of these streams and removes the leftovers of crashed runs. LockedError when a live run holds one of the streams;
     * VerifyError when files of the tables that the run writes are missing or have the wrong size.
     */
    startRun: (run: Parameters<typeof startRun>[1]) =>
      startRun({ paths, tables, locks, write, recordCatalogPlace, starting: atOnce, ending }, run),
    /** Committed slices of the stream by table, sorted; an empty list for a table without any. */
    coverage: reading(coverageOf),
    /** The same for many streams, by their ids. `overlapping` names streams of the same network that may have the same rows: with theirs. */
    coverages: reading(coveragesOf),
    /** Makes parts and progress visible in one transaction; see `commitParts`. Returns the snapshot's id. */
    commit: async (commit: Commit): Promise<number> => {
      reachStep('commit.before-open')
      const beganMs = performance.now()
      const { snapshotId, dropped, added } = await write((session) => commitParts(session, tables, commit)).catch(
        (error: unknown) => {
          throw notCommitted(error, commitText(commit))
        },
      )
      reachStep('commit.after-close')
      await removeDropped(paths.store, dropped)
      reachStep('commit.after-removal')
      options.onCommit?.({ snapshotId, parts: added, seconds: (performance.now() - beganMs) / 1000 })
      return snapshotId
    },
    /** The gaps of the stream that the user accepted, and their change; see `changeAcceptedGaps`. */
    acceptedGaps: reading(readAcceptedGaps),
    changeAcceptedGaps: (change: { gaps: readonly StreamGap[]; accepted: boolean }) =>
      write((session) => changeAcceptedGaps(session, locks, change)),
    /** The committed stretches of the stream, newest first, with what its walk needs to continue. */
    stretches: reading(readStretches),
    /** Resumes the open observation of the stream, or opens one; see `openObservation`. The run that opened it has ended or crashed. */
    openObservation: stepping(opening(openObservation), 'observation.after-open', 'observation.before-open'),
    /**
     * Adds parts and the cursor behind them to an open observation in one transaction: durable, but not visible. CatalogError
     * `catalog.observation`, `catalog.run-ended`.
     */
    stage: stepping(writing(stageParts), 'stage.after-close', 'stage.before-open'),
    /** Replaces an open observation by a new one of this time, and removes its staged files. Throws what `stage` throws. */
    restartObservation: stepping(opening(restartObservation), 'restart.after-removal'),
    /** Ids of the complete observations of the stream, oldest first. */
    observationIds: reading(readObservationIds),
    /** Daily compute units of services. */
    units: {
      take: writing(takeUnits),
      /** Gives back what was not spent of a grant. */
      giveBack: writing(giveBackUnits),
      /** Units that were spent in the last 24 hours. */
      spent: reading(readSpentUnits),
    },
    /** State of rate limits that all processes share; null: each process keeps its own. */
    limits: backend.shared === null ? null : createSharedLimits(backend.shared),
    /** Stores when streams reached their heads and how long jobs took. It makes no snapshot. */
    recordRun: writing(writeRunRecord),
    /** Durations of the last complete run of each job. */
    measures: reading(readMeasures),
    /** Merges small files of a table into large ones. */
    compaction: {
      /** The small visible files of a table in commit order, and the ends of the coverage of its streams that are read by range. */
      smallFiles: reading(readSmallFiles),
      /** Replaces files by others; see `replaceFiles`. Returns the snapshot's id. */
      replace: stepping(writing(replaceFiles), 'compact.after-close'),
    },
    /** Expires snapshots, and removes files some time after the last snapshot and publication that showed them. */
    expiry: {
      /**
       * Removes all snapshots older than the one that was the latest at `before`. Files that no remaining snapshot shows leave the catalog
       * and wait for removal.
       */
      forget: stepping(writing(forgetSnapshots), 'expire.after-close'),
      /** Records that the current publication does not show the waiting files. Their waiting time begins. */
      published: stepping(writing(beginWaiting), 'expire.after-mark'),
      /** Removes the files that have waited since `since` or longer. Returns their number. */
      removeWaiting: (since: Date) => write((session) => removeWaiting(session, paths.store, since)),
      /** When the last run that expires snapshots began; null: never. */
      lastBegun: reading(readLastExpiry),
      waiting: reading(countWaiting),
    },
    /** The files of a table that may have rows within bounds; see `readTableFiles`. */
    tableFiles: reading(readTableFiles),
    /** What streams cover of a table, and its visible files with the bounds (null: unknown) of a whole-number column, as of one moment. */
    coveredFiles: reading(readCoveredFiles),
    /** Rows, newest times and coverage of each table with rows or for which something was read. Reads statistics and no file. */
    tableExtents: reading(readTableExtents),
    /** The tables of the lake as their declarations were when they were last written. */
    tables: () => read(async (session) => [...(await readDeclaredTables(session)).values()]),
    views: reading(readOwnViews),
    /** What runs declared about the streams. */
    streams: reading(readStreamFacts),
    network: reading(readNetwork, atOnce),
    /** Stores the identity of a network, or fills in unknown facts. OtherSourceError when the lake has other ids for the network. */
    recordNetwork: writing(recordNetwork, atOnce),
    /** The blocks that identify the EVM chains of the lake, by network, chain id and number. */
    anchors: reading(readAnchors, atOnce),
    /** Adds blocks that identify EVM chains; false, and nothing is written, if the catalog has others of their ids than `basis` by now. */
    recordAnchors: writing(recordAnchors, atOnce),
    files: reading(readFiles),
    /** What was visible at a moment (default: now), with the declarations of that time; see `readFilesAsOf`. */
    asOf: (moment?: Moment) => read(async (session) => withDeclarations(session, await readFilesAsOf(session, moment))),
    /** The end of the highest slice of each stream that has visible files. */
    fileEnds: reading(readFileEnds),
    /** Everything that the catalog records, as of one moment. It reads every table of the catalog completely. */
    inventory: () => read((session) => readInventory(session, locks)),
    /** Column statistics of some files, by file id. */
    fileStats: reading(readFileStats),
    /** The minimum and maximum of an integer column in each file of a table, by file id. Files without bounds below 2^53 are omitted. */
    fileBounds: reading(readFileBounds),
    /** Removes files and their coverage from the lake; see `removeSlices`. Returns the snapshot's id. */
    removeSlices: stepping(
      writing((session, removal: Removal) => removeSlices(session, locks, removal)),
      'repair.after-close',
    ),
    /** Rows that may not be the latest versions, because files with later versions were lost. */
    losses: reading(readLosses),
    snapshotId: reading(latestSnapshotId),
    /** The latest snapshot; and all that have not expired, oldest first. */
    snapshot: (waiting?: WaitOptions) => read(latestSnapshot, waiting),
    snapshots: reading(readSnapshots),
    status: () => read((session) => readStatus(session, locks), atOnce),
    /** The newest block time of each stream that has any, by stream id. A file that small streams share counts for each of them. */
    newestTimes: reading(readNewestTimes),
    /** The highest number or time (microseconds since 1970 UTC) of a column, for each stream with visible files that it does not share. */
    highest: (column: string) => read((session) => readHighest(session, column)),
    /** Tasks of workers; null when the lake has no queue: no tasks were ever queued, or the catalog is a local file. */
    tasks: async () => (backend.shared === null ? null : countTasks(backend.shared)),
    /** Identity of the current `lake.ducklake`; null if it does not exist. */
    publishedCopy: () => backend.published(),
    /**
     * Replaces `lake.ducklake` by a copy of the current catalog that contains the current location of the lake. Returns the identity of the
     * copy (see `fileIdentity`), what it shows, and what each table has and streams have read for it.
     */
    publishCopy: async (publication: Parameters<Backend['publish']>[1] = committing) => {
      const work = upgraded(async (session) => {
        await relocate(session, paths)
        const shown = await withDeclarations(session, await readFiles(session))
        return { ...shown, extents: await readTableExtents(session) }
      })
      const { result, identity } = await backend.publish(work, publication)
      return { ...result, identity }
    },
    /** Runs `use` while no other process commits or publishes. `has` says whether a snapshot belongs to this catalog. */
    exclusively: <T>(
      use: (has: (snapshot: LakeSnapshot) => Promise<boolean>) => Promise<T>,
      waiting?: WaitOptions,
    ): Promise<T> => write((session) => use((snapshot) => hasSnapshot(session, snapshot)), waiting),
    /** Registers an owner of temporary files for a process that is not a run, and removes the files of dead owners. */
    registerOwner: async () => {
      const taken: Held[] = []
      try {
        return await write(async (session) => {
          await recordCatalogPlace(session)
          await removeTemporaries(paths, locks)
          const owner = await lockOwner(locks)
          taken.push(owner)
          return owner
        }, atOnce)
      } catch (error) {
        // The catalog may fail to close after the lock was taken. The caller has no owner to release then.
        for (const owner of taken) await owner.release()
        throw error
      }
    },
    /** Writes the current location of the lake into the catalog, for example after a move. */
    relocate: () => write((session) => relocate(session, paths), atOnce),
  }
}

/** The files of a snapshot, the tables of the lake in it, and the views of own pipelines. */
async function withDeclarations(session: Session, files: CatalogFiles) {
  const { snapshotId } = files.snapshot
  const tables = [...(await readDeclaredTables(session, undefined, snapshotId)).values()]
  return { files, tables, views: await readOwnViews(session, snapshotId) }
}

/** Adds the description of a commit to the error that another process held the catalog. Returns other errors unchanged. */
function notCommitted(error: unknown, what: string): unknown {
  if (!(error instanceof LockedError && error.kind === 'held')) return error
  const { message, details, hint = '', cause } = error
  return new LockedError(message, { details: { 'not committed': what, ...details }, hint, cause })
}

type CatalogOptions = {
  /** How long to wait for another process that holds the catalog lock, in milliseconds; default 60,000. */
  readonly waitMs?: number
  /**
   * Ends the wait with `LockedError`. Until a run is registered, nothing can be lost and the wait ends at once. Commits of a run, and the
   * record of its end, may wait a few seconds longer.
   */
  readonly stop?: AbortSignal
  /** After a stop, how long commits wait for the lock, in milliseconds. Recording the end of the run may take 1.5 times as long. */
  readonly graceMs?: number
  /** Called after each commit with the files that it made visible and its duration in seconds, including the wait for the lock. */
  readonly onCommit?: (stored: { snapshotId: number; parts: readonly Part[]; seconds: number }) => void
}
