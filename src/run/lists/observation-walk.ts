import { hash } from 'node:crypto'
import type { List, Observation, ReadingContext, StreamDeclaration, Table } from '../../define/index.ts'
import type { Part } from '../../model.ts'
import { keepsWhole } from '../job/early-end.ts'
import type { ServiceRun } from '../rows/lake-run.ts'
import { createListUnit, type KnownFiles, type ListUnit } from '../rows/list-unit.ts'
import { versionHashes } from '../rows/version-hashes.ts'
import { createLastingRows, tablesOf } from './lasting-rows.ts'
import { listPages } from './list-pages.ts'
import { type ListTask, orderedLists } from './ordered-lists.ts'
import { hasVersions, publishObservation } from './publish-observation.ts'
import { isYoung } from './token-age.ts'

export type ObservationOptions = {
  readonly stream: StreamDeclaration
  readonly walk: Observation
  readonly run: ServiceRun
  readonly context: (observation: { id: string; observedAt: bigint }) => () => ReadingContext
  /** The time now in milliseconds since 1970. */
  readonly nowMs: () => number
}

/** Where a reading goes on: at a list, with a token of it. `first` is the key of the item that the list began with. */
type Place = { readonly list: number; readonly token: string | null; readonly first: string | null }
/** `asked` stands for the requests of all lists: a place among other ones says nothing. */
type Cursor = Place & { readonly asked: string }

/** What has been read is staged when it has so many rows. */
const stageRows = 65_536

/**
 * Reads the lists of a stream whole. What has been read is staged with a cursor, so that a reading goes on after a kill, and becomes
 * visible in one commit when all of it is there. Of a table with versions only rows that changed are kept; rows that never change are
 * committed on the way.
 */
export async function observe(options: ObservationOptions): Promise<boolean> {
  const { walk, run, nowMs } = options
  const stream = { ...options.stream, tables: tablesOf(options.stream, 'observed') }
  const { catalog, runId } = run
  const open = await catalog.openObservation({ runId, stream: stream.stream })
  const context = options.context(open)
  const lists = walk.subjects.flatMap((subject) => subject.lists)
  const hashed = versionHashes(stream.tables)
  const asked = hash('sha256', JSON.stringify(lists.map((list) => list.request(null))), 'hex').slice(0, 32)
  const resumed = readCursor(open.cursor, open.cursorAtMs, nowMs())
  const goesOn = resumed === null || resumed.asked === asked
  if (!goesOn) await catalog.restartObservation({ runId, observationId: open.id })
  let staged: readonly Part[] = goesOn ? open.parts : []
  let place: Place = (goesOn ? resumed : null) ?? { list: 0, token: null, first: null }
  let unit = stagingUnit(stream, run, staged)
  const lasting = createLastingRows(options.stream, run)
  let pages = 0
  let startedMs = performance.now()
  let canStage = true

  /** Makes rows and the place that they reach to durable, once. After one that failed nothing more is staged or committed. */
  const stage = async (): Promise<void> => {
    canStage = false
    await lasting.commit()
    const parts = await unit.finish()
    const cursor: Cursor = { ...place, asked }
    await catalog.stage({ runId, observationId: open.id, parts, cursor: JSON.stringify(cursor) })
    staged = [...staged, ...parts]
    unit = stagingUnit(stream, run, staged)
    pages = 0
    startedMs = performance.now()
    canStage = true
    await run.afterCommit()
  }
  try {
    const tasks = tasksOf(lists, place, run, context)
    for await (const event of orderedLists(tasks, { atOnce: run.concurrency, stop: run.stop })) {
      if (!('page' in event)) {
        place = { list: event.about + ('ended' in event ? 1 : 0), token: null, first: null }
        continue
      }
      run.page()
      pages++
      unit.add(hashed(event.page.rows))
      await lasting.add(event.page.rows)
      const first = place.token === null ? (event.page.items[0]?.key ?? null) : place.first
      place = { list: event.about, token: event.page.next, first }
      if (unit.isFull()) await unit.flush()
      run.emit({
        kind: 'progress',
        pipeline: run.pipeline,
        done: event.about,
        total: lists.length,
        rows: staged.reduce((sum, part) => sum + part.rows, 0) + unit.rows(),
        bytes: 0,
      })
      if (unit.rows() >= stageRows || pages >= run.unitPages || performance.now() - startedMs > run.commitEveryMs)
        await stage()
    }
    canStage = false
    await lasting.commit()
  } catch (error) {
    if (canStage && pages > 0 && keepsWhole(error, run.stop)) await stage()
    else await Promise.all([unit.abort(), lasting.abort()])
    throw error
  }
  // Versions are compared when all rows are in files.
  if (hasVersions(stream.tables)) await stage()
  const rest = await unit.finish()
  await publishObservation({ stream, subjects: walk.subjects, run, open, staged, rest, nowMs })
  return false
}

/** A token that is old is not used: its list is read from the beginning. */
function readCursor(text: string | null, atMs: number | null, nowMs: number): Cursor | null {
  if (text === null) return null
  const cursor = JSON.parse(text) as Cursor
  return isYoung(atMs, nowMs) ? cursor : { ...cursor, token: null, first: null }
}

function* tasksOf(
  lists: readonly List[],
  place: Place,
  { client }: ServiceRun,
  context: () => ReadingContext,
): Generator<ListTask<number>, void, undefined> {
  for (const [position, list] of lists.entries()) {
    if (position < place.list) continue
    const { token, first } = position === place.list ? place : { token: null, first: null }
    const firstKeys = new Set(first === null ? [] : [first])
    yield { about: position, pages: (signal) => listPages(list, { client, signal, context, token, firstKeys }) }
  }
}

/** Rows of one observation, each once; rows of versions are compared when the observation is complete. */
function stagingUnit(stream: StreamDeclaration, run: ServiceRun, staged: readonly Part[]): ListUnit {
  const known = async (table: Table): Promise<KnownFiles> => {
    const own = table.history === 'observations' ? staged.filter((part) => part.table === table.name) : []
    return { snapshotId: null, files: own }
  }
  return createListUnit(run, stream.tables, 0, known)
}
