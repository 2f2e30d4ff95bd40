import { hash } from 'node:crypto'
import type { OpenObservation } from '../../catalog/catalog.ts'
import type { List, Observation, Page, ReadingContext, StreamDeclaration, Table } from '../../define/index.ts'
import type { Part, Stream } from '../../model.ts'
import { keepsPrefix } from '../job/early-end.ts'
import type { ListRun } from '../rows/lake-run.ts'
import { createListUnit, type KnownFiles, type ListUnit } from '../rows/list-unit.ts'
import { versionHashes } from '../rows/version-hashes.ts'
import { createLastingRows, tablesOf } from './lasting-rows.ts'
import { listPages } from './list-pages.ts'
import { type ListTask, type OrderedEvent, orderedLists } from './ordered-lists.ts'
import { hasVersions, publishObservation } from './publish-observation.ts'
import { isYoung } from './token-age.ts'

type ObservationOptions = {
  readonly stream: StreamDeclaration
  readonly walk: Observation
  readonly run: ListRun
  readonly context: (observation: { id: string; observedAt: bigint }) => () => ReadingContext
  /** The time now in milliseconds since 1970. */
  readonly nowMs: () => number
}

/** Where to resume: a list, and a page token of it. `first` is the key of the first item of the list. */
type Position = { readonly list: number; readonly token: string | null; readonly first: string | null }
/** `requested` is a hash of the requests of all lists: a position is only valid for the same requests. */
type Cursor = Position & { readonly requested: string }

const beginning: Position = { list: 0, token: null, first: null }

/** Rows after which a reading is staged. */
const stageRows = 65_536

/**
 * Reads all lists of a stream completely. Rows are staged together with a cursor, so that a killed reading resumes. They become visible in
 * one commit when the reading is complete. In tables with versions only changed rows are kept. Rows that never change are committed during
 * the reading. The observation has the time when its first staged request began: an attempt that staged nothing leaves no time behind.
 */
export async function observe(options: ObservationOptions): Promise<boolean> {
  const { walk, run, nowMs } = options
  const stream = { ...options.stream, tables: tablesOf(options.stream, 'observed') }
  const { catalog, runId } = run
  const lists = walk.subjects.flatMap((subject) => subject.lists)
  const hashed = versionHashes(stream.tables)
  const requested = hash('sha256', JSON.stringify(lists.map((list) => list.request(null))), 'hex').slice(0, 32)
  const { open, position: begin } = await openAt(stream.stream, requested, run, nowMs())
  const context = options.context(open)
  let [position, staged] = [begin, open.parts]
  let unit = stagingUnit(stream, run, staged)
  const lasting = createLastingRows(options.stream, run)
  let pages = 0
  let startedMs = performance.now()
  let canStage = true

  /** Makes the rows and their position durable, once. After a failure nothing more is staged or committed. */
  const stage = async (): Promise<void> => {
    canStage = false
    await lasting.commit()
    const parts = await unit.finish()
    const cursor: Cursor = { ...position, requested }
    await catalog.stage({ runId, observationId: open.id, parts, cursor: JSON.stringify(cursor) })
    staged = [...staged, ...parts]
    unit = stagingUnit(stream, run, staged)
    pages = 0
    startedMs = performance.now()
    canStage = true
    await run.afterCommit()
  }
  const isDue = (): boolean =>
    unit.rows() >= stageRows || pages >= run.unitPages || performance.now() - startedMs > run.commitEveryMs
  const take = async (page: Page): Promise<void> => {
    run.page()
    pages++
    unit.add(hashed(page.rows))
    await lasting.add(page.rows)
  }
  try {
    const tasks = tasksOf(lists, position, run, context)
    for await (const event of orderedLists(tasks, { atOnce: run.concurrency, stop: run.stop })) {
      if ('page' in event) await take(event.page)
      position = positionAfter(event, position)
      if (!('page' in event)) continue
      if (unit.isFull()) await unit.flush()
      run.emit({
        kind: 'progress',
        pipeline: run.pipeline,
        done: event.about,
        total: lists.length,
        rows: staged.reduce((sum, part) => sum + part.rows, 0) + unit.rows(),
        bytes: 0,
      })
      if (isDue()) await stage()
    }
    canStage = false
    await lasting.commit()
  } catch (error) {
    if (canStage && pages > 0 && keepsPrefix(error, run.stop)) await stage()
    else await Promise.all([unit.abort(), lasting.abort()])
    throw error
  }
  // Versions can be compared when all rows are in files.
  if (hasVersions(stream.tables)) await stage()
  const rest = await unit.finish()
  await publishObservation({ stream, subjects: walk.subjects, run, open, staged, rest, nowMs })
  return false
}

/** The observation to read, and where reading begins. If the requests have changed since an earlier run, the observation is replaced. */
async function openAt(
  stream: Stream,
  requested: string,
  { catalog, runId }: ListRun,
  nowMs: number,
): Promise<{ open: OpenObservation; position: Position }> {
  const open = await catalog.openObservation({ runId, stream })
  const cursor = readCursor(open.cursor, open.cursorAtMs, nowMs)
  if (cursor === null) return { open, position: beginning }
  if (cursor.requested === requested) return { open, position: cursor }
  return { open: await catalog.restartObservation({ runId, observationId: open.id, stream }), position: beginning }
}

/** An old token is not used: its list is read from the beginning. */
function readCursor(text: string | null, atMs: number | null, nowMs: number): Cursor | null {
  if (text === null) return null
  const cursor = JSON.parse(text) as Cursor
  return isYoung(atMs, nowMs) ? cursor : { ...cursor, token: null, first: null }
}

function positionAfter(event: OrderedEvent<number>, { token, first }: Position): Position {
  if (!('page' in event)) return { ...beginning, list: event.about + ('ended' in event ? 1 : 0) }
  const { items, next } = event.page
  return { list: event.about, token: next, first: token === null ? (items[0]?.key ?? null) : first }
}

function* tasksOf(
  lists: readonly List[],
  resumed: Position,
  { client }: ListRun,
  context: () => ReadingContext,
): Generator<ListTask<number>, void, undefined> {
  for (const [at, list] of lists.entries()) {
    if (at < resumed.list) continue
    const { token, first } = at === resumed.list && !list.isCounted ? resumed : beginning
    const firstKeys = new Set(first === null ? [] : [first])
    yield { about: at, pages: (signal) => listPages(list, { client, signal, context, token, firstKeys }) }
  }
}

/** The rows of one observation without duplicates. Versions are compared when the observation is complete. */
function stagingUnit(stream: StreamDeclaration, run: ListRun, staged: readonly Part[]): ListUnit {
  const known = async (table: Table): Promise<KnownFiles> => {
    const own = table.history === 'observations' ? staged.filter((part) => part.table === table.name) : []
    return { snapshotId: null, files: own }
  }
  return createListUnit(run, stream.tables, 0, known)
}
