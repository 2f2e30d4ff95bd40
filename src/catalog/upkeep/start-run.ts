import type { DerivedView, Table } from '../../define/index.ts'
import { reachStep } from '../../lib/step.ts'
import { type LakeSnapshot, type Stream, streamId } from '../../model.ts'
import type { Claim } from '../../store/store.ts'
import { findLost, type LostFile, lostError, readVisibleFiles } from '../files/lost-files.ts'
import { verifyPlace } from '../lake/find-lake.ts'
import type { LakePaths } from '../place/paths.ts'
import { type NetworkFacts, recordNetwork } from '../runs/network.ts'
import { recordOwnViews } from '../runs/own-views.ts'
import { type RunRecord, writeRunRecord } from '../runs/run-record.ts'
import { endRun, mayHaveLeftFiles, readOpenRuns, registerRun } from '../runs/runs.ts'
import { addStreams, recordStreamFacts, type StreamFacts } from '../runs/stream-facts.ts'
import { declareTables, withLakeIds } from '../schema/declare-tables.ts'
import { verifyDeclarations } from '../schema/ensure-table.ts'
import type { Backend, Lock, Locks, WaitOptions } from '../session/backend.ts'
import { inTransaction, type Session } from '../session/session.ts'
import { latestSnapshot } from '../session/snapshot.ts'
import { readLastExpiry } from './expire.ts'
import { type Recovery, recoverLake } from './recovery.ts'

export type RunOptions = {
  readonly streams: readonly Stream[]
  readonly command: string
  /** Ends live runs of the same command instead of waiting for them: their process lost its work to this one. */
  readonly takesOver?: true
  /** Names of tables. */
  readonly writes?: readonly string[]
  /** Tables of own pipelines: they are created or changed before the run writes files. */
  readonly tables?: readonly Table[]
  /** Drops columns that these tables no longer declare. Otherwise the run is refused. */
  readonly dropsColumns?: true
  /** Views of own pipelines. */
  readonly views?: readonly DerivedView[]
  /** Views of own pipelines that the lake no longer shows. */
  readonly endedViews?: readonly Pick<DerivedView, 'name'>[]
  /** Facts about the streams that the run, or workers for it, will commit. */
  readonly declares?: readonly StreamFacts[]
  /** Facts about the network. The catalog stores them first, or compares them with the stored ones. */
  readonly network?: NetworkFacts
  /** Streams to report in `Run.covered`. */
  readonly checkCovered?: readonly Stream[]
}

export type Run = {
  /** Part of the names of the files that the run writes. */
  readonly id: string
  /** The tables of own pipelines with the ids that the lake gave to their columns. */
  readonly tables: readonly Table[]
  /** What crashed runs left, and what recovery did with it. */
  readonly recovery: Recovery
  /** Files that are missing or have the wrong size, in tables that the run does not write. */
  readonly lost: readonly LostFile[]
  /** The latest snapshot when it began. */
  readonly snapshot: LakeSnapshot
  /** Ids of those streams in `RunOptions.checkCovered` that had committed slices when the run began. */
  readonly covered: ReadonlySet<string>
  /** When snapshots last expired before the run began; null: never. */
  readonly lastExpiry: Date | null
  /** Records how the run ended and what it measured, and frees its streams. Call it after the last part is written. */
  readonly end: (outcome: string, record?: RunRecord) => Promise<void>
}

type RunStart = {
  readonly paths: LakePaths
  readonly tables: readonly Table[]
  readonly locks: Locks
  readonly write: Backend['write']
  readonly recordCatalogPlace: (session: Session) => Promise<void>
  readonly starting: WaitOptions
  readonly ending: WaitOptions
}

/** Commands that always list all data files. Other commands skip this when they can, so that they start fast in a lake of a million files. */
const upkeepCommands = ['compact', 'expire', 'repair']

/** Registers a run and removes the leftovers of crashed runs; see `Catalog`. */
export async function startRun(
  { paths, tables, locks, write, recordCatalogPlace, starting, ending }: RunStart,
  options: RunOptions,
): Promise<Run> {
  let taken: Lock | null = null
  const { id, lock, ...found } = await write(async (session) => {
    if (options.network !== undefined) await recordNetwork(session, options.network)
    await recordCatalogPlace(session)
    await verifyPlace(session, paths)
    const declared = await withLakeIds(session, options.tables ?? [], options.dropsColumns ? 'drop' : 'refuse')
    await verifyDeclarations(session, [...tables, ...declared])
    const visible = await readVisibleFiles(session)
    const lost = await findLost(paths.store, visible)
    const own = lost.filter(({ table }) => options.writes?.includes(table))
    if (own.length > 0) throw lostError(paths.lake, own, 'The run cannot begin: ')
    const open = await readOpenRuns(session, locks)
    const known = {
      snapshot: await latestSnapshot(session),
      covered: await coveredAmong(session, options.checkCovered ?? []),
      lastExpiry: await readLastExpiry(session),
    }
    const listsFiles = upkeepCommands.includes(options.command) || (await mayHaveLeftFiles(session))
    const registered = await registerRun(session, locks, open, options)
    taken = registered.lock
    reachStep('run.registered')
    try {
      await declareTables(session, declared, registered.id)
      await recordOwnViews(session, options.views ?? [], options.endedViews ?? [])
      await inTransaction(session, async () => {
        await recordStreamFacts(session, options.declares ?? [])
        await addStreams(session, options.streams)
      })
      await claimStore(session, paths, { lake: known.snapshot.lakeId, run: registered.id })
      const recovery = await recoverLake(session, { paths, locks }, { open, visible, listsFiles })
      return { ...registered, ...known, snapshot: await latestSnapshot(session), tables: declared, lost, recovery }
    } catch (error) {
      await endRun(session, registered.id, 'failed').catch(() => undefined)
      throw error
    }
  }, starting).catch(async (error: unknown) => {
    // The catalog may fail to close after the lock was taken. This process may start the same streams again.
    await taken?.release()
    throw error
  })
  return {
    id,
    ...found,
    end: async (outcome, record) => {
      reachStep('run.before-end')
      try {
        await write(async (session) => {
          if (record !== undefined) await writeRunRecord(session, record)
          await endRun(session, id, outcome)
          await lock.release()
          // Folds the write-ahead file into the catalog. What is committed is durable without this.
          await session.fold().catch(() => undefined)
        }, ending)
      } finally {
        // Frees the streams for the next run of this process, even if the catalog is unavailable.
        await lock.release()
      }
      reachStep('run.after-end')
    },
  }
}

/** A shared store needs a claim; a folder belongs to one lake. */
async function claimStore(session: Session, { store }: LakePaths, claim: Omit<Claim, 'knows'>): Promise<void> {
  if (store.remote === null) return
  const rows = await session.rows('SELECT run_id FROM chainlake.run')
  const known = new Set(rows.map((row) => row['run_id']))
  await store.claim({ ...claim, knows: (run) => known.has(run) })
}

async function coveredAmong(session: Session, streams: readonly Stream[]): Promise<Set<string>> {
  if (streams.length === 0) return new Set()
  const rows = await session.rows('SELECT DISTINCT stream FROM chainlake.coverage WHERE stream = ANY($1)', [
    streams.map(streamId),
  ])
  return new Set(rows.map((row) => row['stream']))
}
