import type { DerivedView, Table } from '../define/index.ts'
import { abortLater } from '../lib/abort-later.ts'
import { reachStep } from '../lib/step.ts'
import type { FileColumnStats, LakeSnapshot, ReadRange, Slice, Stream, Stretch } from '../model.ts'
import type { Store } from '../store/store.ts'
import { notCommitted } from './catalog-held.ts'
import type { CatalogOptions } from './catalog-options.ts'
import { changeAcceptedGaps, readAcceptedGaps, type StreamGap } from './commit/accepted-gaps.ts'
import { type Commit, commitParts, commitText } from './commit/commit.ts'
import { type Compaction, createCompaction } from './commit/compaction.ts'
import { type Covered, type CoveredSlice, coverageOf, coveragesOf, type StreamOverlaps } from './commit/coverage.ts'
import { type CoveredFiles, readCoveredFiles } from './commit/covered-files.ts'
import { type Inventory, readFileBounds, readFileStats, readInventory } from './commit/inventory.ts'
import {
  type OpenObservation,
  openObservation,
  readObservationIds,
  restartObservation,
  type Staging,
  stageParts,
} from './commit/observations.ts'
import { readRanges } from './commit/read-ranges.ts'
import { type Removal, removeSlices } from './commit/remove-slices.ts'
import { readStretches } from './commit/stretches.ts'
import { readHighest, readNewestTimes, readTableExtents, type TableExtent } from './commit/table-extents.ts'
import { type Moment, readFilesAsOf } from './files/as-of.ts'
import { type FileFacts, readFileFacts } from './files/file-facts.ts'
import { type CatalogFiles, readFiles } from './files/files.ts'
import { readFilesWithin, type Within } from './files/files-within.ts'
import { type Loss, readLosses } from './files/losses.ts'
import { readEarlierFiles } from './files/named-files.ts'
import { removeDropped } from './files/remove-dropped.ts'
import { readTableFiles, type TableFiles, type TableFilesOptions } from './files/table-files.ts'
import type { LakePaths } from './place/paths.ts'
import { relocate } from './place/relocate.ts'
import { type ChainAnchor, readAnchors, recordAnchors } from './runs/chain-anchors.ts'
import { type NetworkFacts, readNetwork, recordNetwork } from './runs/network.ts'
import { readOwnViews } from './runs/own-views.ts'
import { type Measure, type RunRecord, readMeasures, writeRunRecord } from './runs/run-record.ts'
import { lockOwner, type Owner } from './runs/runs.ts'
import { createSharedLimits, type SharedLimits } from './runs/shared-limits.ts'
import { countUnits, type UnitCounts } from './runs/spent-units.ts'
import { readStreamFacts, type StreamFacts } from './runs/stream-facts.ts'
import { countTasks, type TaskCounts } from './runs/work-tasks.ts'
import { readDeclaredTables } from './schema/declared-tables.ts'
import { checkVersions, upgrade } from './schema/versions.ts'
import type { Backend, PublishOptions, WaitOptions } from './session/backend.ts'
import type { Session } from './session/session.ts'
import { hasSnapshot, latestSnapshot, latestSnapshotId, readSnapshots } from './session/snapshot.ts'
import { type LakeStatus, readStatus } from './status.ts'
import { createExpiry, type Expiry } from './upkeep/expire.ts'
import { removeTemporaries } from './upkeep/recovery.ts'
import { type Run, type RunOptions, startRun } from './upkeep/start-run.ts'

/**
 * The catalog of a lake. Each operation opens the catalog, runs one transaction and closes it again. If another process holds the
 * catalog lock, the operation waits and throws `LockedError` after `waitMs`. All operations may throw StorageError, CatalogError and
 * UnknownVersionError; they have changed nothing then.
 */
export type Catalog = {
  /** The data files of the lake. */
  readonly store: Store
  /** Whether readers attach the copy `lake.ducklake`, which each publication writes. */
  readonly publishesCopy: boolean
  /**
   * Registers a run of these streams and removes the leftovers of crashed runs. LockedError when a live run holds one of the streams;
   * VerifyError when files of the tables that the run writes are missing or have the wrong size.
   */
  readonly startRun: (options: RunOptions) => Promise<Run>
  /** Committed slices of the stream by table, sorted; an empty list for a table without any. */
  readonly coverage: (stream: Stream, tables: readonly string[]) => Promise<Map<string, CoveredSlice[]>>
  /** The same for many streams, by their ids, with the coverage of streams that may hold the same rows. */
  readonly coverages: (streams: readonly StreamOverlaps[], tables: readonly string[]) => Promise<Map<string, Covered>>
  /** Makes parts and progress visible in one transaction; see `commitParts`. Returns the snapshot's id. */
  readonly commit: (commit: Commit) => Promise<number>
  /** The gaps of the stream that the user accepted, and their change; see `changeAcceptedGaps`. */
  readonly acceptedGaps: (stream: Stream) => Promise<readonly (StreamGap & { readonly slice: Slice })[]>
  readonly changeAcceptedGaps: (change: { gaps: readonly StreamGap[]; accepted: boolean }) => Promise<void>
  /** The committed stretches of the stream, newest first. */
  readonly stretches: (stream: Stream) => Promise<Stretch[]>
  /**
   * Resumes the open observation of the stream, or opens a new one. The run that opened it has ended or crashed. It does not resume one that
   * staged nothing, or staged last too long ago.
   */
  readonly openObservation: (options: { runId: string; stream: Stream }) => Promise<OpenObservation>
  /** Records parts and the cursor behind them in one transaction: durable, but not visible. CatalogError `catalog.observation`. */
  readonly stage: (staging: Staging) => Promise<void>
  /** Replaces an open observation by a new one of this time, and removes its staged files. Throws what `stage` throws. */
  readonly restartObservation: (options: {
    runId: string
    observationId: string
    stream: Stream
  }) => Promise<OpenObservation>
  /** Ids of the complete observations of the stream, oldest first. */
  readonly observationIds: (stream: Stream) => Promise<string[]>
  /** The visible files of a table; see `readTableFiles`. */
  readonly tableFiles: (table: string, options?: TableFilesOptions) => Promise<TableFiles>
  /** What streams cover of a table, and its visible files with the bounds of a whole-number column, as of one moment. */
  readonly coveredFiles: (table: string, column: string) => Promise<CoveredFiles>
  /** Rows, newest times and coverage of each table; see `readTableExtents`. */
  readonly tableExtents: () => Promise<Map<string, TableExtent>>
  /** The files of a table at a snapshot that may have rows within bounds; see `readFilesWithin`. */
  readonly filesWithin: (within: Within) => Promise<string[]>
  /** The tables of the lake as their declarations were when they were last written. */
  readonly tables: () => Promise<Table[]>
  /** The views that own pipelines declared. */
  readonly views: () => Promise<DerivedView[]>
  /** What runs declared about the streams. */
  readonly streams: () => Promise<ReadonlyMap<string, StreamFacts>>
  readonly network: (name: string) => Promise<NetworkFacts | null>
  /** OtherSourceError when the lake has other ids for the network. */
  readonly recordNetwork: (facts: NetworkFacts) => Promise<void>
  /** The blocks that identify the EVM chains of the lake, by network, chain id and number. */
  readonly anchors: () => Promise<ChainAnchor[]>
  /** Adds blocks that identify EVM chains; false, and nothing is written, if the catalog has others than `basis` by now. */
  readonly recordAnchors: (basis: readonly ChainAnchor[], added: readonly ChainAnchor[]) => Promise<boolean>
  /** Daily compute units of services. */
  readonly units: UnitCounts
  /** State of rate limits that all processes share; null: each process keeps its own. */
  readonly limits: SharedLimits | null
  /** Merges files. */
  readonly compaction: Compaction
  /** Expires snapshots and removes files. */
  readonly expiry: Expiry
  /** Stores when streams reached their heads and how long jobs took. It makes no snapshot. */
  readonly recordRun: (record: RunRecord) => Promise<void>
  /** Durations of the last complete run of each job. */
  readonly measures: () => Promise<Measure[]>
  readonly files: () => Promise<CatalogFiles>
  /** What was visible at a moment, with the declarations of that time; see `readFilesAsOf`. */
  readonly asOf: (moment: Moment) => Promise<LakeAsOf>
  /** Files of earlier snapshots, and files that wait for removal. They are not visible, but chainlake knows them. Relative to the lake. */
  readonly earlierFiles: () => Promise<string[]>
  /** Sources and hashes of the visible files. */
  readonly fileFacts: () => Promise<FileFacts[]>
  /** Everything that the catalog records, as of one moment. It reads every table of the catalog completely. */
  readonly inventory: () => Promise<Inventory>
  /** Column statistics of some files, by file id. */
  readonly fileStats: (ids: readonly number[]) => Promise<Map<number, FileColumnStats[]>>
  /** The minimum and maximum of an integer column in each file of a table. */
  readonly fileBounds: (tableId: number, columnId: number) => ReturnType<typeof readFileBounds>
  /** Removes files and their coverage from the lake; see `removeSlices`. Returns the snapshot's id. */
  readonly removeSlices: (removal: Removal) => Promise<number>
  /** Rows that may not be the latest versions, because files with later versions were lost. */
  readonly losses: () => Promise<Loss[]>
  readonly snapshotId: () => Promise<number>
  /** The latest snapshot; and all that have not expired, oldest first. */
  readonly snapshot: (options?: WaitOptions) => Promise<LakeSnapshot>
  readonly snapshots: () => Promise<LakeSnapshot[]>
  readonly status: () => Promise<LakeStatus>
  /** The newest block time of each stream that has any, by stream id. */
  readonly newestTimes: () => Promise<Map<string, Date>>
  /** The highest value of a column of numbers or times (microseconds since 1970 UTC) of each stream, in the files that have rows of it alone. */
  readonly highest: (column: string) => Promise<ReadonlyMap<string, bigint>>
  /** Tasks of workers; null when the lake has no queue: no tasks were ever queued, or the catalog is a local file. */
  readonly tasks: () => Promise<TaskCounts | null>
  /** Replaces `lake.ducklake` by a copy of the current catalog that contains the current location of the lake. */
  readonly publishCopy: (options?: PublishOptions) => Promise<PublishedCopy>
  /** Identity of the current `lake.ducklake`; null if it does not exist. */
  readonly publishedCopy: () => Promise<string | null>
  /** Runs `use` while no other process commits or publishes. `has` says whether a snapshot belongs to this catalog. */
  readonly exclusively: <T>(
    use: (has: (snapshot: LakeSnapshot) => Promise<boolean>) => Promise<T>,
    options?: WaitOptions,
  ) => Promise<T>
  /** Registers an owner of temporary files for a process that is not a run, and removes the files of dead owners. */
  readonly own: () => Promise<Owner>
  /** Writes the current location of the lake into the catalog, for example after a move. */
  readonly relocate: () => Promise<void>
}

/** The files of a snapshot, the tables of the lake in it, and the views of own pipelines. */
export type LakeAsOf = {
  readonly files: CatalogFiles
  readonly tables: readonly Table[]
  readonly views: readonly DerivedView[]
}

/** A published copy of the catalog, with its latest snapshot. */
export type PublishedCopy = LakeAsOf & {
  /** What streams have read. */
  readonly ranges: readonly ReadRange[]
  /** Identifies this copy; see `fileIdentity`. */
  readonly identity: string
}

/** The operations of a catalog that a backend stores. */
export function catalogOf(
  backend: Backend,
  paths: LakePaths,
  tables: readonly Table[],
  options: CatalogOptions,
): Catalog {
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
  const write: Backend['write'] = (use, waiting = committing) =>
    backend.write(upgraded(use), { ...waiting, begins: 'with a query' })
  return {
    store: paths.store,
    publishesCopy: paths.endpoint.publishesCopy,
    startRun: (run) => startRun({ paths, tables, locks, write, recordCatalogPlace, starting: atOnce, ending }, run),
    coverage: (stream, names) => read((session) => coverageOf(session, stream, names)),
    coverages: (streams, names) => read((session) => coveragesOf(session, streams, names)),
    commit: async (commit) => {
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
    acceptedGaps: (stream) => read((session) => readAcceptedGaps(session, stream)),
    changeAcceptedGaps: (change) => write((session) => changeAcceptedGaps(session, locks, change)),
    stretches: (stream) => read((session) => readStretches(session, stream)),
    openObservation: async (options) => {
      reachStep('observation.before-open')
      const { observation, dropped } = await write((session) => openObservation(session, options))
      await removeDropped(paths.store, dropped)
      reachStep('observation.after-open')
      return observation
    },
    stage: async (staging) => {
      reachStep('stage.before-open')
      await write((session) => stageParts(session, staging))
      reachStep('stage.after-close')
    },
    restartObservation: async (options) => {
      const { observation, dropped } = await write((session) => restartObservation(session, options))
      await removeDropped(paths.store, dropped)
      reachStep('restart.after-removal')
      return observation
    },
    observationIds: (stream) => read((session) => readObservationIds(session, stream)),
    units: countUnits(read, write),
    limits: backend.shared === null ? null : createSharedLimits(backend.shared),
    recordRun: (record) => write((session) => writeRunRecord(session, record)),
    measures: () => read(readMeasures),
    compaction: createCompaction(read, write),
    expiry: createExpiry(read, write, paths.store),
    tableFiles: (table, options = {}) => read((session) => readTableFiles(session, table, options)),
    coveredFiles: (table, column) => read((session) => readCoveredFiles(session, table, column)),
    tableExtents: () => read(readTableExtents),
    filesWithin: (within) => read((session) => readFilesWithin(session, within)),
    tables: () => read(async (session) => [...(await readDeclaredTables(session)).values()]),
    views: () => read((session) => readOwnViews(session)),
    streams: () => read(readStreamFacts),
    network: (name) => read((session) => readNetwork(session, name), atOnce),
    recordNetwork: (facts) => write((session) => recordNetwork(session, facts), atOnce),
    anchors: () => read(readAnchors, atOnce),
    recordAnchors: (basis, added) => write((session) => recordAnchors(session, basis, added), atOnce),
    files: () => read((session) => readFiles(session)),
    asOf: (moment) => read(async (session) => withDeclarations(session, await readFilesAsOf(session, moment))),
    earlierFiles: () => read(readEarlierFiles),
    fileFacts: () => read(readFileFacts),
    inventory: () => read((session) => readInventory(session, locks)),
    fileStats: (ids) => read((session) => readFileStats(session, ids)),
    fileBounds: (tableId, columnId) => read((session) => readFileBounds(session, tableId, columnId)),
    removeSlices: async (removal) => {
      const snapshotId = await write((session) => removeSlices(session, locks, removal))
      reachStep('repair.after-close')
      return snapshotId
    },
    losses: () => read(readLosses),
    snapshotId: () => read(latestSnapshotId),
    snapshot: (waiting) => read(latestSnapshot, waiting),
    snapshots: () => read(readSnapshots),
    status: () => read((session) => readStatus(session, locks), atOnce),
    newestTimes: () => read(readNewestTimes),
    highest: (column) => read((session) => readHighest(session, column)),
    tasks: async () => (backend.shared === null ? null : countTasks(backend.shared)),
    publishedCopy: () => backend.published(),
    publishCopy: async (options = committing) => {
      const work = upgraded(async (session) => {
        await relocate(session, paths)
        const shown = await withDeclarations(session, await readFiles(session))
        return { ...shown, ranges: await readRanges(session) }
      })
      const { result, identity } = await backend.publish(work, options)
      return { ...result, identity }
    },
    exclusively: (use, waiting) => write((session) => use((snapshot) => hasSnapshot(session, snapshot)), waiting),
    own: async () => {
      let owner: Owner | null = null
      try {
        return await write(async (session) => {
          await recordCatalogPlace(session)
          await removeTemporaries(paths, locks)
          owner = await lockOwner(locks)
          return owner
        }, atOnce)
      } catch (error) {
        // The catalog may fail to close after the lock was taken. The caller has no owner to release then.
        await (owner as Owner | null)?.release()
        throw error
      }
    },
    relocate: () => write((session) => relocate(session, paths), atOnce),
  }
}

async function withDeclarations(session: Session, files: CatalogFiles): Promise<LakeAsOf> {
  const { snapshotId } = files.snapshot
  const tables = [...(await readDeclaredTables(session, undefined, snapshotId)).values()]
  return { files, tables, views: await readOwnViews(session, snapshotId) }
}
