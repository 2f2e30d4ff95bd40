import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { readListFile, readTextFile } from '../../config/list-file.ts'
import { type ListSource, mistakeOfText } from '../../config/parameter-values.ts'
import type { AbiItems, Parameter, Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { Job } from '../../run/job/job.ts'
import type { ListResult } from '../../run/rows/job-result.ts'

/** A job that the command line requests, with or without a mistake. */
export type JobRequest = RequestedJob | WrongJob

/** A job with a mistake in its configuration. Other jobs can run: its error is reported when its turn comes. */
export type WrongJob = { readonly kind: 'wrong'; readonly name: string; readonly error: ConfigError }

/** A job as requested: its lists may still be files or queries. */
export type RequestedJob = {
  readonly kind: 'requested'
  readonly name: string
  readonly pipeline: Pipeline
  /** Checked values. A list is a `ListSource`, and an ABI a file, both with an absolute path. */
  readonly given: Readonly<Record<string, unknown>>
}

/** A job with nothing to do: the query of one of its lists returns no row now. An empty list never means "no filter". */
export type SkippedJob = {
  readonly kind: 'skipped'
  readonly name: string
  readonly pipeline: string
  /** Name of the list's parameter. */
  readonly list: string
  readonly query: string
}

/** The pipelines of the jobs without mistakes. */
export function pipelinesOf(jobs: readonly JobRequest[]): Pipeline[] {
  return jobs.flatMap((job) => (job.kind === 'requested' ? [job.pipeline] : []))
}

/** Whether a list of the job comes from a query on the lake, so that the job depends on what earlier jobs wrote. */
export function queriesLake(job: JobRequest): boolean {
  return job.kind === 'requested' && listsOf(job).some(([, , source]) => 'query' in source)
}

/**
 * Reads the lists of a job from files and from queries on the present views of the lake. Throws `ConfigError`, and the reason of `stop`
 * when it interrupts a query.
 */
export async function resolveJob(
  request: JobRequest,
  lake: LakeLocation,
  stop?: AbortSignal | undefined,
): Promise<Job | SkippedJob> {
  if (request.kind === 'wrong') throw request.error
  const { name, pipeline, given } = request
  const values: Record<string, unknown> = { ...given }
  for (const [list, parameter, source] of listsOf({ pipeline, given })) {
    const isGiven = given[list] !== undefined
    const context = { list: `${name}: ${list}`, lake, stop }
    const items = isGiven ? await itemsOf(source, parameter, context) : await defaultItems(source, parameter, context)
    if (items.length === 0 && 'query' in source && isGiven)
      return { kind: 'skipped', name, pipeline: pipeline.name, list, query: source.query }
    values[list] = items
  }
  for (const [parameter, { kind, abiItems }] of Object.entries<Parameter>(pipeline.parameters))
    if (kind === 'abi' && given[parameter] !== undefined) {
      const { file } = given[parameter] as { readonly file: string }
      values[parameter] = await signaturesIn[abiItems](await readTextFile(file, `${name}: ${parameter}`), file)
    }
  return { name, pipeline, values }
}

/** The signatures in the text of an ABI: threads and workers get these, not the file. */
const signaturesIn: Readonly<Record<AbiItems, (text: string, path: string) => Promise<string[]>>> = {
  async events(text, path) {
    const [{ parseAbi }, { signatureOf }] = await Promise.all([
      import('../../decode/events/parse-events.ts'),
      import('../../decode/events/event-signature.ts'),
    ])
    return parseAbi(text, path).map(signatureOf)
  },
  async functions(text, path) {
    const { parseAbiFunctions, signatureOf } = await import('../../decode/calls/abi-function.ts')
    return parseAbiFunctions(text, path).map(signatureOf)
  },
}

export function isSkipped(job: Job | SkippedJob): job is SkippedJob {
  return 'query' in job
}

/** The result of a skipped job in `--json`: up to date, with the reason. */
export function skippedResult({ name, pipeline, list, query }: SkippedJob): ListResult & { skipped: object } {
  const none = { streams: 0, pages: 0, tables: [], seconds: 0, upToDate: true, postponed: null, interrupted: false }
  return { kind: 'list', name, pipeline, ...none, skipped: { list, query } }
}

function listsOf({
  pipeline,
  given,
}: Pick<RequestedJob, 'pipeline' | 'given'>): (readonly [string, Parameter, ListSource])[] {
  return Object.entries<Parameter>(pipeline.parameters).flatMap(([name, parameter]) => {
    const fallback = parameter.query === null ? undefined : { query: parameter.query }
    const source = (given[name] as ListSource | undefined) ?? fallback
    return parameter.kind === 'list' && source !== undefined ? [[name, parameter, source] as const] : []
  })
}

/** The default of a list that is not given; empty while there is no lake yet. */
async function defaultItems(
  source: ListSource,
  parameter: Parameter,
  context: ListContext,
): Promise<readonly string[]> {
  try {
    return await itemsOf(source, parameter, context)
  } catch (error) {
    if (error instanceof ConfigError && error.code === 'query.no-lake') return []
    throw error
  }
}

type ListContext = { readonly list: string; readonly lake: LakeLocation; readonly stop: AbortSignal | undefined }

async function itemsOf(source: ListSource, parameter: Parameter, context: ListContext): Promise<readonly string[]> {
  if ('file' in source) {
    const items = await readListFile(source.file, context.list)
    return checkedItems(items, parameter, context, { file: source.file })
  }
  if ('query' in source) {
    const items = await queriedItems(source.query, context)
    return checkedItems(items, parameter, context, { query: source.query, lake: context.lake.folder })
  }
  return source
}

function checkedItems(
  items: readonly string[],
  parameter: Parameter,
  { list }: ListContext,
  origin: Readonly<Record<string, string>>,
): string[] {
  if (items.length === 0 && 'file' in origin)
    throw new ConfigError(`${list}: the file contains no values.`, {
      code: 'config.empty-list',
      details: origin,
      hint: 'Write one value per line. A # begins a comment.',
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

/** The first column of a query on the views, without null and empty texts. */
async function queriedItems(query: string, { list, lake, stop }: ListContext): Promise<string[]> {
  const [{ selectFromLake }, { viewsOf }, { cellText }] = await Promise.all([
    import('../../views/select.ts'),
    import('../../run/status/remote-lake.ts'),
    import('../../views/cell.ts'),
  ])
  try {
    const { chunks } = await selectFromLake(lake.folder, query, await viewsOf(lake), stop)
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
        : `${list}: the query failed: ${cause.message}`,
      {
        code: cause.code,
        details: { query, ...cause.details },
        hint: missing ? 'First run the job that fills the table, such as chainlake run p-blocks.' : queryHint(cause),
        cause,
      },
    )
  }
}

/** The query of a list may do less than `chainlake sql`. */
function queryHint({ code, message }: ConfigError): string {
  if (code === 'query.not-select' || message.startsWith('Permission Error'))
    return 'A list takes the first column of one SELECT that reads only the views of the lake. Give values from elsewhere as { file: path }.'
  return 'Try the query with `chainlake sql`; `chainlake tables` lists tables and views.'
}
