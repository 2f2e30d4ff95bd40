import type { Keyed, Page, Question, ReadingContext, Table } from '../../define/index.ts'
import { ChainlakeError, HttpError, RpcError } from '../../errors.ts'
import { chunksOf } from '../../lib/arrays.ts'
import { commitRows } from '../rows/commit-batch.ts'
import type { ListWalk, Run } from '../rows/lake-run.ts'
import { createListBatch } from '../rows/list-batch.ts'
import { refusalPage } from './list-pages.ts'

type KeyedOptions = ListWalk<Keyed>

/**
 * Sends a request for each key that has no row yet. If the request for one key fails, the other keys are still requested and their rows are
 * kept; the failure is thrown at the end. Resolves to true when every key already had a row.
 */
export async function walkKeyed(options: KeyedOptions): Promise<boolean> {
  const { stream, run } = options
  giveNotice(options)
  const missing = await missingKeys(options)
  const failures: Error[] = []
  const unanswered: Keyed['keys'][number][] = []
  const [first] = Object.keys(stream.tables)
  let done = 0
  for (const requested of chunksOf(missing, Math.min(run.unitPages, mostKeys))) {
    const batch = createListBatch(run, stream.tables)
    for (const keys of chunksOf(requested, keysAtOnce)) {
      const outcomes = await askAll(options, keys)
      for (const outcome of outcomes)
        if ('failure' in outcome) failures.push(outcome.failure)
        else batch.add(outcome.rows)
      unanswered.push(...keys.filter((_, position) => isEmpty(outcomes[position]!, first as string)))
      await batch.relieve()
    }
    reportUnanswered(options, unanswered)
    // A batch without rows has no parts to commit.
    if (batch.rows() > 0) await commitRows(run, stream, batch)
    done += requested.length
    run.progress({ done, total: missing.length, rows: 0 })
    if (run.stop.aborted) throw run.stop.reason
    const [fatal] = failures.filter(endsJob)
    if (fatal !== undefined) throw fatal
  }
  if (failures[0] !== undefined) throw failures[0]
  return missing.length === 0
}

function isEmpty(outcome: Outcome, first: string): boolean {
  return 'rows' in outcome && outcome.rows[first]?.length === 0
}

/** Keys per commit, at most: nothing else ends a commit before. */
const mostKeys = 500

/** Answers in memory at once; one may have thousands of rows. */
const keysAtOnce = 64

function giveNotice({ walk: { notice }, run }: KeyedOptions): void {
  if (typeof notice === 'string') run.emit({ kind: 'warning', message: notice, once: true })
}

async function missingKeys({ stream, walk, run }: KeyedOptions): Promise<Keyed['keys']> {
  const [table] = Object.values(stream.tables) as Table[]
  if (table === undefined) return walk.keys
  const rows = walk.keys.map(({ key }) => ({ network: stream.stream.network, ...key }))
  const files = (await run.catalog.tableFiles(table.name)).files.map(({ path }) => path)
  const known = new Set((await run.lookup.findRows({ table, files, rows })).map(({ position }) => position))
  return walk.keys.filter((_, position) => !known.has(position))
}

/** Maximum number of listed keys; further keys are only counted. */
const mostNamed = 10_000

function reportUnanswered({ walk: { unanswered }, run }: KeyedOptions, keys: Keyed['keys']): void {
  if (unanswered === undefined || keys.length === 0) return
  const { column, reason, hint } = unanswered
  run.unanswered({
    reason,
    hint,
    count: keys.length,
    ids: keys.slice(0, mostNamed).map(({ key }) => String(key[column])),
  })
}

type Outcome = Pick<Page, 'rows'> | { readonly failure: Error }

async function askAll({ run, context }: KeyedOptions, keys: Keyed['keys']): Promise<Outcome[]> {
  return Promise.all(
    keys.map(async (key): Promise<Outcome> => {
      try {
        return await askKey(key, run, context())
      } catch (error) {
        if (error instanceof ChainlakeError || run.stop.aborted) return { failure: error as Error }
        throw error
      }
    }),
  )
}

/** The answer to the last call for a key. */
async function askKey(key: Keyed['keys'][number], run: Run, context: ReadingContext): Promise<Page> {
  const ask = async (request: Question, token: string | null): Promise<Page> => {
    try {
      const parse = (answer: unknown) => key.decode(answer, context, token)
      const page = await run.client.ask(request, { signal: run.stop, parse })
      run.page()
      return page
    } catch (error) {
      const page = refusalPage(key, error, context, token)
      if (page === null) throw error
      return page
    }
  }
  let page = await ask(key.request, null)
  while (page.next !== null && key.next !== undefined) page = await ask(key.next(page.next), page.next)
  return page
}

/** Whether an error would also affect the next key. */
function endsJob(error: Error): boolean {
  return error instanceof HttpError || error instanceof RpcError ? [401, 403].includes(error.status) : true
}
