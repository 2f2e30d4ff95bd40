import { hash } from 'node:crypto'
import { observations } from '../../../schemas/lake.ts'
import type { OpenObservation } from '../../catalog/catalog.ts'
import type {
  List,
  Observation,
  ReadingContext,
  RowsOf,
  StreamDeclaration,
  Subject,
  Table,
  Tables,
} from '../../define/index.ts'
import { versionHashes } from '../../lookup/row-identity.ts'
import type { Part, Stream } from '../../model.ts'
import { type Batch, type BatchRows, commitBatch, commitRows, newRows, removeParts } from '../rows/commit-batch.ts'
import type { ListWalk, Run } from '../rows/lake-run.ts'
import { createListBatch, type ListBatch } from '../rows/list-batch.ts'
import { createListCommits } from './list-commits.ts'
import { type ListEvent, listPages, mostWaitingItems, mostWaitingPages } from './list-pages.ts'
import { isYoung } from './list-times.ts'

type ObservationOptions = Omit<ListWalk<Observation>, 'context'> & {
  readonly context: (observation: { id: string; observedAt: bigint }) => () => ReadingContext
}

/** Where to resume: a list, and a page token of it. `first` is the key of the first item of the list, `before` identifies the page before. */
type Position = {
  readonly list: number
  readonly token: string | null
  readonly first: string | null
  readonly before: string | null
}
/** `requested` is a hash of the requests of all lists: a position is only valid for the same requests. */
type Cursor = Position & { readonly requested: string }

const beginning: Position = { list: 0, token: null, first: null, before: null }

/**
 * Reads all lists of a stream completely. Rows are staged together with a cursor, so that a killed reading resumes. They become visible in
 * one commit when the reading is complete. In tables with versions only changed rows are kept. Rows that never change are committed during
 * the reading. The observation has the time when its first staged request began: an attempt that staged nothing leaves no time behind.
 */
export async function observe(options: ObservationOptions): Promise<boolean> {
  const { walk, run } = options
  const stream = { ...options.stream, tables: tablesOf(options.stream, 'observed') }
  const { catalog, runId } = run
  const lists = walk.subjects.flatMap((subject) => subject.lists)
  const hashed = versionHashes(stream.tables)
  const requested = hash('sha256', JSON.stringify(lists.map((list) => list.request(null))), 'hex').slice(0, 32)
  const { open, position: begin } = await openAt(stream.stream, requested, run)
  const context = options.context(open)
  let staged = open.parts
  const lasting = createLastingRows(options.stream, run)
  const commits = createListCommits(
    run,
    begin,
    () => createListBatch(run, stream.tables, { staged }),
    async (rows, position) => {
      await lasting.commit()
      const parts = await rows.finish()
      const cursor: Cursor = { ...position, requested }
      await catalog.stage({ runId, observationId: open.id, parts, cursor: JSON.stringify(cursor) })
      staged = [...staged, ...parts]
      await run.afterCommit()
    },
  )
  let isRead = false
  try {
    const tasks = tasksOf(lists, begin, run, context)
    for await (const event of orderedLists(tasks, { atOnce: run.concurrency, stop: run.stop })) {
      const position = positionAfter(event, commits.progress())
      if (!('page' in event)) {
        commits.turnTo(position)
        continue
      }
      run.page()
      await lasting.add(event.page.rows)
      await commits.take(hashed(event.page.rows), position)
      const rows = staged.reduce((sum, part) => sum + part.rows, 0) + commits.batch().rows()
      run.progress({ done: event.about, total: lists.length, rows })
      await commits.commitWhenDue()
    }
    isRead = true
    await lasting.commit()
  } catch (error) {
    await commits.fail(error, !isRead)
    await lasting.abort()
    throw error
  }
  // Versions can be compared when all rows are in files.
  if (hasVersions(stream.tables)) await commits.commit()
  const rest = await commits.batch().finish()
  await publishObservation({ stream, subjects: walk.subjects, run, open, staged, rest })
  return false
}

/** The observation to read, and where reading begins. If the requests have changed since an earlier run, the observation is replaced. */
async function openAt(
  stream: Stream,
  requested: string,
  { catalog, runId }: Run,
): Promise<{ open: OpenObservation; position: Position }> {
  const open = await catalog.openObservation({ runId, stream })
  const cursor = readCursor(open.cursor, open.cursorAtMs)
  if (cursor === null) return { open, position: beginning }
  if (cursor.requested === requested) return { open, position: cursor }
  return { open: await catalog.restartObservation({ runId, observationId: open.id, stream }), position: beginning }
}

/** An old token is not used: its list is read from the beginning. */
function readCursor(text: string | null, atMs: number | null): Cursor | null {
  if (text === null) return null
  const cursor = JSON.parse(text) as Cursor
  return isYoung(atMs) ? cursor : { ...cursor, token: null, first: null, before: null }
}

function positionAfter(event: OrderedEvent, { token, first, before }: Position): Position {
  if ('restarted' in event) return { ...beginning, list: event.about }
  if ('ended' in event || event.page.next === null) return { ...beginning, list: event.about + 1 }
  const { items, next } = event.page
  return {
    list: event.about,
    token: next,
    first: token === null ? (items[0]?.key ?? null) : first,
    before: event.mark ?? before,
  }
}

function* tasksOf(
  lists: readonly List[],
  resumed: Position,
  { client }: Run,
  context: () => ReadingContext,
): Generator<ListTask, void, undefined> {
  for (const [at, list] of lists.entries()) {
    if (at < resumed.list) continue
    const { token, first, before } = at === resumed.list && !list.isCounted ? resumed : beginning
    const firstKeys = new Set(first === null ? [] : [first])
    const reading = { client, context, token, firstKeys, before, doubtsEnd: true }
    yield { about: at, pages: (signal) => listPages(list, { ...reading, signal }) }
  }
}

/** The tables with rows that never change, or the other tables. */
export function tablesOf({ tables }: Pick<StreamDeclaration, 'tables'>, kind: 'lasting' | 'observed'): Tables {
  const entries = Object.entries(tables)
  return Object.fromEntries(entries.filter(([, { history }]) => (history === 'rows') === (kind === 'lasting')))
}

/**
 * Rows of an observation that never change, such as outputs of the genesis. They are committed while the observation is read, without
 * duplicates, even if the observation is never completed.
 */
function createLastingRows({ stream, tables: all }: StreamDeclaration, run: Run) {
  const tables = tablesOf({ tables: all }, 'lasting')
  let batch: ListBatch | null = null
  return {
    async add(rows: RowsOf<Tables>): Promise<void> {
      if (Object.keys(tables).length === 0) return
      batch ??= createListBatch(run, tables)
      batch.add(rows)
      await batch.relieve()
    },
    async commit(): Promise<void> {
      if (batch === null) return
      await batch.compare()
      if (batch.rows() === 0) await batch.abort()
      else await commitRows(run, { stream, tables }, batch)
      batch = null
    },
    /** Removes rows that no commit was attempted for. */
    abort: async (): Promise<void> => batch?.abort(),
  }
}

type CompleteObservation = {
  readonly stream: StreamDeclaration
  readonly subjects: readonly Subject[]
  readonly run: Run
  readonly open: { readonly id: string; readonly observedAt: bigint }
  /** Staged parts. For tables with versions they contain all rows that were read. */
  readonly staged: readonly Part[]
  readonly rest: readonly Part[]
}

function hasVersions(tables: Tables): boolean {
  return Object.values(tables).some(({ history }) => history === 'versions')
}

/**
 * Makes a complete observation visible in one commit. In tables with versions only changed rows are kept. They are compared again when
 * another run has stored versions in the meantime.
 */
async function publishObservation(complete: CompleteObservation): Promise<void> {
  const { stream, run, open, staged, rest } = complete
  const tables = Object.values(stream.tables) as Table[]
  const isCompared = hasVersions(stream.tables)
  let written: readonly Part[] = []
  const compared = async (): Promise<Batch> => {
    await removeParts(run.store, written)
    const writer = newRows({ run, tables: [...tables, observations], from: 0 })
    const { basis, ...rows } = await writeComplete(complete, writer)
    written = rows.written
    const parts = [...rest, ...written]
    const visible = isCompared ? [] : staged
    return {
      commit: {
        runId: run.runId,
        stream: stream.stream,
        tables: [...tables, observations].map(({ name }) => name),
        parts,
        progress: { kind: 'observation', observationId: open.id, staged: isCompared ? 'discard' : 'keep' },
        basis,
        compared: tables.map(({ name }) => name),
      },
      rows: [...visible, ...parts].reduce((sum, part) => sum + (part.table === observations.name ? 0 : part.rows), 0),
      staged: visible,
      retried: compared,
    }
  }
  await commitBatch(run, await compared())
}

async function writeComplete(complete: CompleteObservation, writer: BatchRows) {
  try {
    const basis = hasVersions(complete.stream.tables) ? await writeChanges(complete, writer) : null
    writer.adder(observations.name)(subjectRows(complete))
    return { basis, written: await writer.finish() }
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/**
 * Writes the rows that differ from their latest version, and the rows that are gone. Resolves to the snapshot that they were compared with.
 */
async function writeChanges(complete: CompleteObservation, writer: BatchRows): Promise<number | null> {
  const { stream, run, open, staged } = complete
  const observationIds = await run.catalog.observationIds(stream.stream)
  let basis: number | null = null
  for (const table of Object.values(stream.tables) as Table[]) {
    const { snapshotId, files: visible } = await run.catalog.tableFiles(table.name)
    const files = visible.map(({ path }) => path)
    basis = basis === null || snapshotId === null ? snapshotId : Math.min(basis, snapshotId)
    const add = writer.adder(table.name)
    const own = staged.filter((part) => part.table === table.name).map(({ path }) => path)
    for await (const rows of run.lookup.changedRows({ table, staged: own, files, observationIds, observation: open })) {
      add(rows)
      await writer.relieve()
    }
  }
  return basis
}

/** Records that each subject was observed, even if it has no rows. */
function subjectRows({ subjects, stream, run, open }: CompleteObservation): object[] {
  const shared = {
    network: stream.stream.network,
    pipeline: run.pipeline,
    observation_id: open.id,
    observed_at: open.observedAt,
    completed_at: BigInt(Date.now()) * 1000n,
  }
  return subjects.map(({ name }) => ({ ...shared, subject: name }))
}

/** A list to read. `about`: its number. */
type ListTask = {
  readonly about: number
  readonly pages: (signal: AbortSignal) => AsyncGenerator<ListEvent, void, undefined>
}

/** An event of the first unfinished task, or its end. */
type OrderedEvent = { readonly about: number } & (ListEvent | { readonly ended: true })

/**
 * Reads lists in parallel, at most `atOnce`, and yields their pages in the order of the lists, whatever the order of the responses. A list
 * reads a bounded number of pages before its turn. A task is taken when it can begin, so that a generator of tasks can use earlier results.
 * Leaving the loop cancels all requests.
 */
export async function* orderedLists(
  tasks: Iterator<ListTask>,
  { atOnce, stop }: { readonly atOnce: number; readonly stop: AbortSignal },
): AsyncGenerator<OrderedEvent, void, undefined> {
  const cancel = new AbortController()
  const { signal } = cancel
  // `AbortSignal.any` would leave a reference in `stop` for each observation of a run that follows (measured in Node 20).
  const onStop = () => cancel.abort(stop.reason)
  stop.addEventListener('abort', onStop, { once: true })
  const started: { readonly about: number; readonly events: ReturnType<typeof readAhead> }[] = []
  try {
    for (;;) {
      stop.throwIfAborted()
      while (started.length < atOnce) {
        const next = tasks.next()
        if (next.done === true) break
        started.push({ about: next.value.about, events: readAhead(next.value.pages(signal), signal) })
      }
      const [first] = started
      if (first === undefined) return
      for await (const event of first.events) {
        stop.throwIfAborted()
        if ('failure' in event) throw event.failure
        yield { about: first.about, ...event }
      }
      started.shift()
      yield { about: first.about, ended: true }
    }
  } finally {
    stop.removeEventListener('abort', onStop)
    cancel.abort()
  }
}

/**
 * The events of a list that is read before they are taken, up to some pages. A failure is the last event, because a stream that fails would
 * lose the pages before it. After an abort nothing more is read, whether or not someone takes the events.
 */
function readAhead(pages: AsyncIterator<ListEvent>, signal: AbortSignal) {
  return new ReadableStream<ListEvent | { readonly failure: unknown }>(
    {
      async pull(events) {
        try {
          signal.throwIfAborted()
          const { done, value } = await pages.next()
          if (done === true) events.close()
          else events.enqueue(value)
        } catch (failure) {
          events.enqueue({ failure })
          events.close()
        }
      },
    },
    {
      highWaterMark: mostWaitingPages * mostWaitingItems,
      size: (event) => Math.max(mostWaitingItems, 'page' in event ? event.page.items.length * mostWaitingPages : 0),
    },
  )
}
