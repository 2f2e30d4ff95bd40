import { dirname, resolve } from 'node:path'
import { listNames, pipelineFiles } from '../../../pipelines/shared/by-name.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import {
  checkValue,
  type ListSource,
  mistakeOfText,
  ofParameter,
  readListFile,
  readTextFile,
} from '../../config/parameter-values.ts'
import type { Parameter, Pipeline, ServiceSettings } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { suggestion } from '../../lib/suggestion.ts'
import { settledFacts, unasked } from '../../run/connections/connections.ts'
import { declaredStreams, type Job } from '../../run/job.ts'
import { isSkipped, type SkippedJob } from '../../run/jobs/run-groups.ts'
import { hintOfNoConfig, type SettingFlags, type Settings } from '../settings.ts'
import { unknownJob } from './known-pipelines.ts'

type JobSettings = Pick<Settings, 'jobs' | 'pipelines' | 'configPath'> & Partial<Pick<Settings, 'wrongJobs'>>

/**
 * The jobs that the command line names: jobs of chainlake.yaml or pipelines. Flags override the parameters of a job. Throws
 * `ConfigError`, also for a named job with a mistake. With --all, jobs with a mistake come first in the result.
 */
export function jobsOf(names: readonly string[], flags: SettingFlags, settings: JobSettings): JobRequest[] {
  const chosen = chosenJobs(names, flags, settings)
  checkFlags(chosen, flags, settings.pipelines)
  const wrong = flags['all'] === true ? Object.entries(settings.wrongJobs ?? {}) : []
  return [
    ...wrong.map(([name, error]) => ({ kind: 'wrong', name, error }) as const),
    ...chosen.map((job) => requested(job, flags, settings.configPath)),
  ]
}

type Chosen = { readonly name: string; readonly job: Settings['jobs'][string]; readonly pipeline: Pipeline }

function chosenJobs(names: readonly string[], flags: SettingFlags, settings: JobSettings): Chosen[] {
  const { jobs: configured, wrongJobs = {}, pipelines } = settings
  const chosen = (name: string, job: Chosen['job']): Chosen => {
    const pipeline = pipelines.find((candidate) => candidate.name === job.pipeline)
    if (pipeline === undefined) throw new RangeError(`No pipeline ${job.pipeline}.`)
    return { name, job, pipeline }
  }
  if (flags['all'] === true) {
    if (names.length > 0)
      throw new ConfigError('Names of jobs and --all cannot be combined.', {
        code: 'config.jobs',
        hint: 'Give either names of jobs or --all.',
      })
    const create = 'Create chainlake.yaml with `chainlake init`, or name a pipeline: `chainlake run p-blocks`.'
    if (Object.keys({ ...configured, ...wrongJobs }).length === 0)
      throw new ConfigError('There are no jobs to run: --all runs the jobs of chainlake.yaml.', {
        code: 'config.no-jobs',
        details: { configuration: settings.configPath ?? `no chainlake.yaml in ${resolve('.')}` },
        hint: settings.configPath === null ? hintOfNoConfig(create) : create,
      })
    return Object.entries(configured).map(([name, job]) => chosen(name, job))
  }
  if (names.length === 0)
    throw new ConfigError('No pipeline or job is named.', {
      code: 'config.no-jobs',
      hint: `Name one or more, such as ${knownNames(configured, pipelines).slice(0, 8).join(', ')}. \`chainlake pipelines\` lists all pipelines, and --all runs all jobs of chainlake.yaml.`,
    })
  return [...new Set(names)].map((name) => {
    const job = Object.hasOwn(configured, name) ? configured[name] : undefined
    if (job !== undefined) return chosen(name, job)
    if (Object.hasOwn(wrongJobs, name)) throw wrongJobs[name]
    if (pipelines.some((pipeline) => pipeline.name === name)) return chosen(name, { pipeline: name })
    throw unknownJob(name, Object.keys(configured), knownNames({}, pipelines))
  })
}

function knownNames(configured: Settings['jobs'], pipelines: readonly Pipeline[]): string[] {
  const loaded = pipelines.map((pipeline) => pipeline.name)
  return [...new Set([...Object.keys(configured), ...loaded, ...Object.keys(pipelineFiles), ...listNames])]
}

function requested({ name, job, pipeline }: Chosen, flags: SettingFlags, configPath: string | null): RequestedJob {
  const given = Object.entries<Parameter>(pipeline.parameters).flatMap(([key, parameter]) => {
    const typed = flags[key]
    const value =
      typeof typed === 'string' || typeof typed === 'boolean'
        ? parseParameter(key, parameter, typed)
        : absolute(job[key], configPath)
    if (value !== undefined) return [[key, value] as const]
    if (!parameter.required) return []
    throw new ConfigError(`${name} needs --${key}.`, {
      code: 'config.missing-parameter',
      details: { pipeline: pipeline.name, [key]: parameter.comment },
      hint: `Give --${key}, or add a job with ${key} to chainlake.yaml. \`chainlake describe ${pipeline.name}\` lists the parameters.`,
    })
  })
  return { kind: 'requested', name, pipeline, given: Object.fromEntries(given) }
}

/** Makes the path of a list absolute: in chainlake.yaml it is relative to that file. */
function absolute(value: unknown, configPath: string | null): unknown {
  if (typeof value !== 'object' || value === null || !('file' in value) || typeof value.file !== 'string') return value
  return { file: resolve(dirname(configPath ?? '.'), value.file) }
}

/** Refuses the flag of a parameter that none of the jobs has. */
function checkFlags(jobs: readonly Chosen[], flags: SettingFlags, pipelines: readonly Pipeline[]): void {
  if (jobs.length === 0) return
  const known = new Set(jobs.flatMap(({ pipeline }) => Object.keys(pipeline.parameters)))
  const all = new Set(pipelines.flatMap(({ parameters, refused }) => Object.keys({ ...parameters, ...refused })))
  for (const name of all) {
    const given = flags[name]
    if (given === undefined || given === false || known.has(name)) continue
    const refused = jobs.map(({ pipeline }) => pipeline.refused[name]).find((one) => one !== undefined)
    throw new ConfigError(
      `None of the jobs has the parameter --${name}.${refused === undefined ? '' : ` ${refused.why}`}`,
      {
        code: 'config.option',
        details: { jobs: jobs.map((job) => job.name).join(', ') },
        hint: refused?.instead ?? flagHint(name, [...known], pipelines),
      },
    )
  }
}

function flagHint(name: string, known: readonly string[], pipelines: readonly Pipeline[]): string {
  const owners = pipelines.filter(({ parameters }) => Object.hasOwn(parameters, name)).map((pipeline) => pipeline.name)
  const flags = known.map((flag) => `--${flag}`)
  return `${suggestion(`--${name}`, flags)} It is a parameter of ${owners.join(', ')}.`
}

/**
 * Checks each job before any request is sent: rules that concern several parameters, and the files of lists. Returns the jobs and marks
 * the wrong ones. A list that a query on the lake gives is checked later, when the query runs. The network is always checked, since a
 * wrong name would select another part of the lake.
 */
export async function checkedJobs(
  jobs: readonly JobRequest[],
  settings: ServiceSettings | null,
  lake: LakeLocation,
): Promise<JobRequest[]> {
  return Promise.all(
    jobs.map(async (job): Promise<JobRequest> => {
      try {
        await checkJob(job, settings, lake)
        return job
      } catch (error) {
        if (error instanceof ConfigError) return { kind: 'wrong', name: job.name, error }
        throw error
      }
    }),
  )
}

/** The jobs, when all are right. Throws the `ConfigError` of the first wrong one. */
export function allRight(jobs: readonly JobRequest[]): readonly JobRequest[] {
  for (const job of jobs) if (job.kind === 'wrong') throw job.error
  return jobs
}

async function checkJob(job: JobRequest, settings: ServiceSettings | null, lake: LakeLocation): Promise<void> {
  if (job.kind === 'wrong') return
  const { network } = job.given
  if (typeof network === 'string') settings?.networkInPath(network)
  if (queriesLake(job)) return
  const resolved = await resolveJob(job, lake)
  if (isSkipped(resolved)) return
  try {
    await declaredStreams(resolved, settledFacts(settings))
  } catch (error) {
    // Rules that depend on answers of a source are checked in the run.
    if (error !== unasked) throw error
  }
}

/** A job that the command line requests, with or without a mistake. */
export type JobRequest = RequestedJob | WrongJob

/** A job with a mistake in its configuration. Other jobs can run: its error is reported when its turn comes. */
type WrongJob = { readonly kind: 'wrong'; readonly name: string; readonly error: ConfigError }

/** A job as requested: its lists may still be files or queries. */
type RequestedJob = {
  readonly kind: 'requested'
  readonly name: string
  readonly pipeline: Pipeline
  /** Checked values. A list is a `ListSource`, and an ABI a file, both with an absolute path. */
  readonly given: Readonly<Record<string, unknown>>
}

/** The pipelines of the jobs without mistakes. */
export function pipelinesOf(jobs: readonly JobRequest[]): Pipeline[] {
  return jobs.flatMap((job) => (job.kind === 'requested' ? [job.pipeline] : []))
}

/** Whether a list of the job comes from a query on the lake, so that the job depends on what earlier jobs wrote. */
export function queriesLake(job: JobRequest): boolean {
  return job.kind === 'requested' && listsOf(job).some(([, , source]) => 'query' in source)
}

/** A job as the engine schedules it. */
export function waitingJob(job: JobRequest, lake: LakeLocation) {
  const resolve = (stop: AbortSignal) => resolveJob(job, lake, stop)
  return { name: job.name, isWrong: job.kind === 'wrong', queriesLake: queriesLake(job), resolve }
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
    const items = await itemsOf(source, parameter, { list: `${name}: ${list}`, lake, stop }).catch((error: unknown) => {
      // The default of a list is empty while there is no lake yet.
      if (!isGiven && error instanceof ConfigError && error.code === 'query.no-lake') return []
      throw error
    })
    if (items.length === 0 && 'query' in source && isGiven)
      return { name, pipeline: pipeline.name, list, query: source.query }
    values[list] = items
  }
  for (const [parameter, { kind, abiItems }] of Object.entries<Parameter>(pipeline.parameters))
    if (kind === 'abi' && given[parameter] !== undefined) {
      const { file } = given[parameter] as { readonly file: string }
      values[parameter] = await signaturesIn[abiItems](
        await readTextFile(file, `${name}: ${parameter}`, ofParameter),
        file,
      )
    }
  return { name, pipeline, values }
}

/** A job with its lists; or, while the lake does not have what a query of it needs, why it waits. */
export async function readyJob(request: JobRequest, lake: LakeLocation): Promise<Job | { readonly waits: string }> {
  try {
    const job = await resolveJob(request, lake)
    return isSkipped(job) ? { waits: `the query of ${job.list} returns no row yet` } : job
  } catch (error) {
    if (!(error instanceof ConfigError) || error.code !== 'query.no-lake') throw error
    return { waits: 'its query needs a lake, and there is none yet' }
  }
}

/** The signatures in the text of an ABI: threads and workers get these, not the file. */
const signaturesIn: Readonly<Record<Parameter['abiItems'], (text: string, path: string) => Promise<string[]>>> = {
  async events(text, path) {
    const [{ parseAbi }, { signatureOf }] = await Promise.all([
      import('../../decode/events/events.ts'),
      import('../../decode/events/abi.ts'),
    ])
    return parseAbi(text, path).map(signatureOf)
  },
  async functions(text, path) {
    const { parseAbiFunctions, functionSignature } = await import('../../decode/events/abi.ts')
    return parseAbiFunctions(text, path).map(functionSignature)
  },
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
  const [{ selectFromLake, cellText }, { viewsOf }] = await Promise.all([
    import('../../views/query.ts'),
    import('../../run/status/remote-lake.ts'),
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

/**
 * Parses and checks the flag of a parameter. A list is `a,b,c`, `@FILE` or `query:SQL`; an ABI is the path of its file. Paths are relative
 * to the working directory. Throws a `ConfigError` that names the flag.
 */
export function parseParameter(name: string, parameter: Parameter, given: string | boolean): unknown {
  const checked = checkValue(parameter, flagParsers[parameter.kind]?.(String(given)) ?? given)
  if ('value' in checked) return checked.value
  const isFile = parameter.kind === 'list' && /^([.~]{0,2}\/[^,]*|[^,]*\.(txt|csv|json|lst|list))$/.test(String(given))
  const ofFile = isFile ? ` For the items of a file write --${name} @${given}.` : ''
  throw new ConfigError(`--${name} ${checked.mistake}.`, { code: 'config.value', hint: parameter.comment + ofFile })
}

const flagParsers: Partial<Record<Parameter['kind'], (text: string) => unknown>> = {
  list: listOf,
  abi: (text) => (text === '' ? '' : resolve(text)),
}

/** A comma in parentheses or brackets belongs to its item, such as the signature of an event or a JSON list. */
function itemsIn(text: string): string[] {
  const items = ['']
  let depth = 0
  for (const letter of text) {
    if (letter === '(' || letter === '[') depth++
    if (letter === ')' || letter === ']') depth--
    if (letter === ',' && depth <= 0) items.push('')
    else items[items.length - 1] += letter
  }
  return items
}

function listOf(text: string): unknown {
  if (text.startsWith('@')) return { file: text === '@' ? '' : resolve(text.slice(1)) }
  if (text.startsWith('query:')) return { query: text.slice('query:'.length) }
  return itemsIn(text)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
