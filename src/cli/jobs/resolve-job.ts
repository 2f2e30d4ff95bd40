import { readListFile } from '../../config/list-file.ts'
import { type ListSource, mistakeOfText } from '../../config/parameter-values.ts'
import type { Parameter, Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { Job } from '../../run/job/job.ts'
import type { PagesResult } from '../../run/rows/job-result.ts'

/** A job of which something was asked, rightly or wrongly. */
export type JobRequest = AskedJob | WrongJob

/** A job that cannot be run as it is written. Others can: it is told when its turn comes. */
export type WrongJob = { readonly kind: 'wrong'; readonly name: string; readonly error: ConfigError }

/** A job as it was asked for: lists may still be a file or a query. */
export type AskedJob = {
  readonly kind: 'asked'
  readonly name: string
  readonly pipeline: Pipeline
  /** Checked values; of a list its `ListSource`, paths absolute. */
  readonly given: Readonly<Record<string, unknown>>
}

/** A job that has nothing to ask: a list of it comes from a query that gives no row now. It never means a list without a filter. */
export type SkippedJob = {
  readonly kind: 'skipped'
  readonly name: string
  readonly pipeline: string
  /** Name of the list's parameter. */
  readonly list: string
  readonly query: string
}

/** Whether a job has a list that a query on the lake gives, so that it depends on what the jobs before it wrote. */
export function asksLake(job: JobRequest): boolean {
  return job.kind === 'asked' && listsOf(job).some(([, , source]) => 'query' in source)
}

/**
 * Reads the lists of a job: files, and queries on the views of the lake as they are now. Throws `ConfigError`, and the reason of `stop`
 * when that ended a query.
 */
export async function resolveJob(
  request: JobRequest,
  lakeDir: string,
  stop?: AbortSignal | undefined,
): Promise<Job | SkippedJob> {
  if (request.kind === 'wrong') throw request.error
  const { name, pipeline, given } = request
  const values: Record<string, unknown> = { ...given }
  for (const [list, parameter, source] of listsOf({ pipeline, given })) {
    const asked = given[list] !== undefined
    const asking = { list: `${name}: ${list}`, lakeDir, stop }
    const items = asked ? await itemsOf(source, parameter, asking) : await usualItems(source, parameter, asking)
    if (items.length === 0 && 'query' in source && asked)
      return { kind: 'skipped', name, pipeline: pipeline.name, list, query: source.query }
    values[list] = items
  }
  return { name, pipeline, values }
}

export function isSkipped(job: Job | SkippedJob): job is SkippedJob {
  return 'query' in job
}

/** What `--json` shows of it: a job that is up to date, and why. */
export function skippedResult({ name, pipeline, list, query }: SkippedJob): PagesResult & { skipped: object } {
  const none = { streams: 0, pages: 0, tables: [], seconds: 0, upToDate: true, postponed: null, interrupted: false }
  return { kind: 'service', name, pipeline, ...none, skipped: { list, query } }
}

function listsOf({
  pipeline,
  given,
}: Pick<AskedJob, 'pipeline' | 'given'>): (readonly [string, Parameter, ListSource])[] {
  return Object.entries<Parameter>(pipeline.parameters).flatMap(([name, parameter]) => {
    const usual = parameter.query === null ? undefined : { query: parameter.query }
    const source = (given[name] as ListSource | undefined) ?? usual
    return parameter.kind === 'list' && source !== undefined ? [[name, parameter, source] as const] : []
  })
}

/** What a list is when nobody gave it: nothing where there is no lake yet. */
async function usualItems(source: ListSource, parameter: Parameter, asking: Asking): Promise<readonly string[]> {
  try {
    return await itemsOf(source, parameter, asking)
  } catch (error) {
    if (error instanceof ConfigError && error.code === 'query.no-lake') return []
    throw error
  }
}

type Asking = { readonly list: string; readonly lakeDir: string; readonly stop: AbortSignal | undefined }

async function itemsOf(source: ListSource, parameter: Parameter, asking: Asking): Promise<readonly string[]> {
  if ('file' in source) {
    const items = await readListFile(source.file, asking.list)
    return checkedItems(items, parameter, asking, { file: source.file })
  }
  if ('query' in source) {
    const items = await queriedItems(source.query, asking)
    return checkedItems(items, parameter, asking, { query: source.query, lake: asking.lakeDir })
  }
  return source
}

function checkedItems(
  items: readonly string[],
  parameter: Parameter,
  { list }: Asking,
  origin: Readonly<Record<string, string>>,
): string[] {
  if (items.length === 0 && 'file' in origin)
    throw new ConfigError(`${list}: the file names nothing.`, {
      code: 'config.empty-list',
      details: origin,
      hint: 'Write one value a line; what follows a # is left out.',
    })
  for (const item of items) {
    const mistake = mistakeOfText(parameter, item)
    if (mistake !== null)
      throw new ConfigError(`${list}: an item ${mistake}.`, {
        code: 'config.value',
        details: origin,
        hint: parameter.comment,
      })
  }
  return [...new Set(items)]
}

/** The first column of a query on the views; null and empty texts are left out. */
async function queriedItems(query: string, { list, lakeDir, stop }: Asking): Promise<string[]> {
  const [{ selectFromLake }, { viewsOf }, { cellText }] = await Promise.all([
    import('../../views/select.ts'),
    import('../../run/status/remote-lake.ts'),
    import('../../views/cell.ts'),
  ])
  try {
    const { chunks } = await selectFromLake(lakeDir, query, await viewsOf(lakeDir), stop)
    const items: string[] = []
    for await (const chunk of chunks)
      for (const [cell] of chunk) if (cell !== null && cell !== undefined) items.push(cellText(cell).trim())
    return items.filter((item) => item !== '')
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    const missing = cause.code === 'query.no-lake'
    throw new ConfigError(
      missing
        ? `${list}: the query needs a lake, and there is none yet.`
        : `${list}: the query fails: ${cause.message}`,
      {
        code: cause.code,
        details: { query, ...cause.details },
        hint: missing ? 'Run the job that fills the table first, such as chainlake run p-blocks.' : queryHint(cause),
        cause,
      },
    )
  }
}

/** `chainlake sql` may do more than the query of a list. */
function queryHint({ code, message }: ConfigError): string {
  if (code === 'query.not-select' || message.startsWith('Permission Error'))
    return 'A list takes the first column of one SELECT on the views of the lake, which reads nothing else and writes nothing. Give values from elsewhere as { file: path }.'
  return 'Try it with `chainlake sql`; `chainlake tables` lists what there is.'
}
