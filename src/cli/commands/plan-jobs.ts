import type { LakeStatus, StreamStatus } from '../../catalog/catalog.ts'
import { lakeExists } from '../../catalog/lake.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import type {
  Facts,
  ListWalk,
  Question,
  ServiceRequest,
  ServiceSettings,
  StreamDeclaration,
  Walk,
} from '../../define/index.ts'
import { bytesText, counted, countText, durationText } from '../../lib/text.ts'
import { type Stream, streamId } from '../../model.ts'
import { createConnections, settledFacts, unasked } from '../../run/connections/connections.ts'
import { declaredStreams, type Job } from '../../run/job.ts'
import { type JobPlan, planPipelines } from '../../run/jobs/plan-pipelines.ts'
import { isSkipped } from '../../run/jobs/run-groups.ts'
import type { RunOptions } from '../../run/jobs/start-jobs.ts'
import {
  groupStreams,
  knownText,
  type LastMeasure,
  lakeMeasures,
  lakeStatus,
  lastMeasure,
  secondsFor,
  spentUnits,
} from '../../run/status/lake-status.ts'
import { planLake } from '../../run/work/plan-tasks.ts'
import { taskJson } from '../../run/work/task.ts'
import { hostName } from '../../sources/service-client.ts'
import { type ServiceHost, serviceSettings } from '../../sources/service-profile.ts'
import { allRight, checkedJobs, type JobRequest, jobsOf, queriesLake, readyJob, resolveJob } from '../jobs/jobs.ts'
import { knownPipelines } from '../jobs/known-pipelines.ts'
import { hostsOfPlan, profileSettings, promptNodeOptions, requestedJobs } from '../service-settings.ts'
import { type PipelinesOf, readSettings, type SettingFlags } from '../settings.ts'
import { createLogger, eventListener, type Logger, unreachedListener } from '../terminal/run-events.ts'
import { namedJob } from '../terminal/run-results.ts'
import { textTable } from '../terminal/tables.ts'
import { coloured, errorText, printJson, printLine, untilSignal } from '../terminal/terminal.ts'

/** `chainlake plan`: what a run would do. It requests only the head and the network of a node, and nothing of a service. */
export async function planJobs(flags: SettingFlags, names: readonly string[]): Promise<number> {
  const settings = await readSettings(flags, knownPipelines)
  const profile = await profileSettings(flags, settings)
  const rules = serviceSettings(profile)
  const checked = await checkedJobs(jobsOf(names, flags, settings), rules, settings.lake)
  const requests = flags['all'] === true ? checked : allRight(checked)
  const wrong = requests.filter((request) => request.kind === 'wrong')
  const lists: (Job | ListPlan)[] = []
  const ranges: Job[] = []
  for (const request of requests) {
    const job = await plannable(request, settings.lake)
    if ('streams' in job || job.pipeline.reads !== 'node' || !job.pipeline.walks.includes('range')) lists.push(job)
    else ranges.push(job)
  }
  const logger = createLogger(settings.logLevel)
  const nodeSettings = { ...promptNodeOptions(settings), emit: unreachedListener(logger) }
  const node = createConnections(nodeSettings)
  const hosts = await hostsOfPlan(profile, settings)
  const listPlans = await planLists(lists, { rules, node: node.facts }, hosts, settings.lake).finally(node.close)
  const plans = ranges.length === 0 ? [] : await planPipelines({ ...nodeSettings, lake: settings.lake, jobs: ranges })
  if (flags['json'] === true) {
    await printJson([...plans, ...listPlans])
    return reportWrong(wrong)
  }
  const texts = [
    ...(plans.length === 0 ? [] : rangePlanTexts(plans)),
    ...(listPlans.length === 0
      ? []
      : [listPlanText(listPlans), ...(await spendingTexts(listPlans, hosts, settings.lake))]),
  ]
  await printLine(texts.join('\n\n'))
  return reportWrong(wrong)
}

/** Prints the errors of wrong jobs; returns the exit code. */
function reportWrong(wrong: readonly Extract<JobRequest, { kind: 'wrong' }>[]): number {
  for (const { name, error } of wrong)
    process.stderr.write(`${name} cannot be planned\n${coloured(errorText(error))}\n`)
  return wrong[0]?.error.exitCode ?? 0
}

/** A job with its lists, or a plan that says why they are not known yet: the other jobs are planned all the same. */
async function plannable(request: JobRequest, lake: LakeLocation): Promise<Job | ListPlan> {
  const { name } = request
  if (request.kind === 'wrong') return { job: name, pipeline: null, streams: [], waits: request.error.message }
  const job = await readyJob(request, lake)
  return 'waits' in job ? { job: name, pipeline: request.pipeline.name, streams: [], ...job } : job
}

/** `spending` is null while the lists of the job are not known. */
type PlannedJob = ListPlan & { readonly spending: Spending | null }

async function planLists(
  jobs: readonly (Job | ListPlan)[],
  { rules, node }: { readonly rules: ServiceSettings; readonly node: Facts },
  costs: Costs,
  lake: LakeLocation,
): Promise<PlannedJob[]> {
  if (jobs.length === 0) return []
  const status = (await lakeExists(lake)) ? await lakeStatus(lake) : null
  const measures = await lakeMeasures(lake)
  return Promise.all(
    jobs.map(async (job) => {
      if ('streams' in job) return { ...job, spending: null }
      const facts = job.pipeline.reads === 'node' ? node : settledFacts(rules)
      const streams = await declaredStreams(job, facts).catch((error: unknown) => {
        if (error === unasked) return null
        throw error
      })
      if (streams === null) {
        const waits = 'a run requests the chain id of the blockchain id from the service'
        return { job: job.name, pipeline: job.pipeline.name, streams: [], waits, spending: null }
      }
      const measure = lastMeasure(measures, { job: job.name, pipeline: job.pipeline.name })
      return { ...planList(job, streams, status), spending: planSpending(streams, costs, status, measure) }
    }),
  )
}

/** What the jobs cost, and how much of the daily budget is left at hosts that have one. */
async function spendingTexts(
  plans: readonly PlannedJob[],
  hosts: Awaited<ReturnType<typeof hostsOfPlan>>,
  lake: LakeLocation,
): Promise<string[]> {
  const spendings = plans.flatMap(({ job, spending }) => (spending === null ? [] : [{ job, spending }]))
  if (spendings.length === 0) return []
  const counted = new Map(spendings.map(({ spending }) => [spending.host, spending.unitsPerDay]))
  const budgets: string[] = []
  for (const [name, unitsPerDay] of counted) {
    const account = hosts.get(name)?.account ?? null
    if (unitsPerDay === null || account === null) continue
    budgets.push(budgetText(account.origin, account.key, unitsPerDay, await spentUnits(lake, account)))
  }
  return [[spendingText(spendings), ...budgets].join('\n')]
}

function rangePlanTexts(plans: readonly JobPlan[]): string[] {
  const rows = plans.map((plan) => [
    namedJob(plan.job, plan.pipeline),
    plan.head ?? 'empty',
    plan.units,
    plan.requests,
    plan.records,
    `~${bytesText(plan.estimatedBytes)}`,
    plan.estimatedSeconds === null ? unmeasured : `~${durationText(plan.estimatedSeconds)}`,
  ])
  const missing = plans.flatMap((plan) => plan.missing.map(({ table, records }) => [table, records]))
  const times = [...new Set(plans.flatMap((plan) => plan.times.map(({ text }) => `${plan.job}: ${text}`)))]
  const remarks = [...new Set(plans.flatMap(({ job, remark }) => (remark === null ? [] : [`${job}: ${remark}`])))]
  return [
    ...(times.length === 0 ? [] : [times.join('\n')]),
    ...(remarks.length === 0 ? [] : [remarks.join('\n')]),
    textTable(['job', '>head', '>units', '>requests', '>records', '>bytes', '>time'], rows),
    textTable(['table', '>missing records'], missing),
  ]
}

type ListPlan = {
  readonly job: string
  /** Null for a job with a mistake in chainlake.yaml. */
  readonly pipeline: string | null
  readonly streams: readonly StreamPlan[]
  /** Why the streams are not known yet; null when they are. */
  readonly waits: string | null
}

type StreamPlan = Stream & {
  readonly stream: string
  readonly walk: Walk['kind']
  /** Number of subjects of an observation, or of keys; null for other walks. */
  readonly questions: number | null
  readonly tables: readonly string[]
  /** What the lake holds of the stream; null when it holds nothing. */
  readonly known: StreamStatus | null
}

/** What a job would read, and what the lake already holds of it. No request is sent: only a run finds out how much is new. */
export function planList(
  { name, pipeline }: Job,
  streams: readonly StreamDeclaration[],
  status: LakeStatus | null,
): ListPlan {
  const planned = streams.map(({ stream, walk, tables }): StreamPlan => {
    const id = streamId(stream)
    return {
      ...stream,
      stream: id,
      walk: walk.kind,
      questions: 'subjects' in walk ? walk.subjects.length : 'keys' in walk ? walk.keys.length : null,
      tables: Object.values(tables).map((table) => table.name),
      known: status?.streams.find((known) => known.stream === id) ?? null,
    }
  })
  return { job: name, pipeline: pipeline.name, streams: planned, waits: null }
}

/** The plan for people: one line per stream, or per group of streams of one kind. */
export function listPlanText(plans: readonly ListPlan[]): string {
  const rows = plans.flatMap(({ job, streams, waits }) => [
    ...(waits === null ? [] : [[job, waits]]),
    ...groupStreams(streams).map((group) => [job, ...groupCells(group)]),
  ])
  return textTable(['job', 'stream', 'walk', 'the lake holds'], rows)
}

function groupCells({ name, streams }: { name: string; streams: readonly StreamPlan[] }): string[] {
  const walks = [...new Set(streams.map(({ walk }) => walk))].join(', ')
  const questions = streams.reduce((sum, one) => sum + (one.questions ?? 0), 0)
  return [
    streams.length === 1 ? name : `${name}  ${countText(streams.length)} streams`,
    questions === 0 ? walks : `${walks} of ${countText(questions)}`,
    knownText(streams.flatMap(({ known }) => known ?? [])),
  ]
}

/** What a job costs at a service or a node, as far as that is known before the run. */
type Spending = {
  /** `node`, or the name of a host. */
  readonly host: string
  /** Number of requests; null: only a run finds out. */
  readonly requests: number | null
  /**
   * `at least`: each list has one page or more. `at most`: keys that already have an answer are skipped. `about`: the number of the last
   * run.
   */
  readonly bound: 'at least' | 'at most' | 'about'
  /** Compute units; null when the requests are unknown, and for a node, which counts none. */
  readonly units: number | null
  /** Compute units that the host grants per day; null: not counted. */
  readonly unitsPerDay: number | null
  /** Days of the budget that the units take; null when either is unknown. */
  readonly days: number | null
  /** Estimated seconds, from the last run of the job or of its pipeline; null: neither was ever run on this lake. */
  readonly seconds: number | null
}

/** What requests cost, by the name of their host. */
type Costs = ReadonlyMap<string, Pick<ServiceHost, 'weights' | 'unitsPerDay'>>

type Expected = Pick<Spending, 'requests' | 'bound'> & { readonly request: Question | null }

/** What a job would spend; null for a job without requests. */
export function planSpending(
  streams: readonly StreamDeclaration[],
  costs: Costs,
  status: LakeStatus | null,
  measure: LastMeasure | null = null,
): Spending | null {
  const expected = streams.flatMap(({ stream, walk }) => {
    const id = streamId(stream)
    const known = status?.streams.find((one) => one.stream === id) ?? null
    return walk.kind === 'range' ? [] : [expectedOf(walk, known)]
  })
  const first = expected.find(({ request }) => request !== null)
  if (first?.request == null) return null
  const { request } = first
  const total = expected.reduce<number | null>(
    (sum, one) => (sum === null || one.requests === null ? null : sum + one.requests),
    0,
  )
  // The number of keys is known; lists are expected to take as many requests as in the last run.
  const isLikeLast = measure?.own === true && measure.requests > 0 && first.bound !== 'at most'
  const requests = isLikeLast ? Math.max(total ?? 0, measure.requests) : total
  const bound = isLikeLast ? 'about' : first.bound
  const seconds = requests === null ? null : secondsFor(requests, 'requests', measure)
  const isOfNode = request.host === 'node'
  const host = isOfNode ? 'node' : hostName(request)
  const known = isOfNode ? undefined : costs.get(host)
  const units = isOfNode || requests === null ? null : requests * unitsOf(request, known)
  const unitsPerDay = known?.unitsPerDay ?? null
  const days = units === null || unitsPerDay === null ? null : units / unitsPerDay
  return { host, requests, bound, units, unitsPerDay, days, seconds }
}

function unitsOf({ weight }: ServiceRequest, host: Pick<ServiceHost, 'weights'> | undefined): number {
  return typeof weight === 'number' ? weight : (host?.weights[weight] ?? 1)
}

function expectedOf(walk: ListWalk, known: StreamStatus | null): Expected {
  if ('keys' in walk) return { requests: walk.keys.length, bound: 'at most', request: walk.keys[0]?.request ?? null }
  if ('subjects' in walk) {
    const lists = walk.subjects.flatMap((subject) => subject.lists)
    const request = lists[0]?.request(null) ?? null
    return { requests: Math.max(lists.length, pagesOf(request, known)), bound: 'at least', request }
  }
  if (!('head' in walk)) return { requests: null, bound: 'at least', request: walk.list.request(null) }
  const { request } = walk.list({ from: walk.from, to: walk.from + 1 })
  // A range that was never read takes one list over all of it. For a known range the head decides whether there is more to read.
  const isReadWhole = known === null && walk.kind !== 'heightRange'
  return { requests: isReadWhole ? 1 : null, bound: 'at least', request: request(null) }
}

/** Pages per observation, from the rows that the lake holds. */
function pagesOf(request: Question | null, known: StreamStatus | null): number {
  const size = Number(request === null ? Number.NaN : pageSizeOf(request))
  const readings = known?.observations?.complete ?? 0
  if (known === null || readings === 0 || !(size > 0)) return 0
  const rows = known.tables.filter(({ table }) => table !== 'observations').reduce((sum, table) => sum + table.rows, 0)
  return Math.ceil(rows / readings / size)
}

function pageSizeOf(request: Question): unknown {
  if (request.host !== 'node') return request.query['pageSize']
  return 'params' in request && 'limit' in request.params ? request.params['limit'] : undefined
}

/** Printed where only a run finds out. A run that stopped early may have committed rows, but gives no measure. */
const unmeasured = 'unknown: no complete run yet'

/** One line for each job with a known number of requests, and one line for all others. */
export function spendingText(spendings: readonly { readonly job: string; readonly spending: Spending }[]): string {
  const known = spendings.flatMap(({ job, spending: { requests, bound, units, days, seconds } }) => {
    if (requests === null) return []
    const long = days !== null && days > 1 ? `: ${Math.ceil(days)} days of the budget` : ''
    const cost = units === null ? '' : `, ${countText(units)} units${long}`
    const time = seconds === null ? `time ${unmeasured}` : `about ${durationText(seconds)}`
    return [`${job}: ${bound} ${counted(requests, 'request')}${cost}, ${time}`]
  })
  const unknown = spendings.flatMap(({ job, spending }) => (spending.requests === null ? [job] : []))
  const rest =
    unknown.length === 0 ? [] : [`${unknown.join(', ')}: requests and time ${unmeasured}; only a run finds out`]
  return [...known, ...rest].join('\n')
}

/** How much of a host's daily budget is left. */
export function budgetText(origin: string, key: string, unitsPerDay: number, spent: number): string {
  const without = key === 'none' ? ' without a key' : ''
  const left = Math.max(0, unitsPerDay - spent)
  return `${origin} grants ${countText(unitsPerDay)} units in 24 hours${without}; ${countText(left)} are left now.`
}

/** Exit code when jobs are left that can only be planned after the printed tasks. */
const planAgain = 7

/**
 * `chainlake plan --tasks`: prints one task per line. A job that takes a list from the lake is planned if the jobs before it have no tasks;
 * otherwise the line `again: …` on stderr names it, and the exit code is 7.
 */
export async function printTasks(flags: SettingFlags, names: readonly string[], known: PipelinesOf): Promise<number> {
  const settings = await readSettings(flags, known)
  const { jobs, service, services } = await requestedJobs(names, flags, settings)
  allRight(jobs)
  const logger = createLogger(settings.logLevel)
  return untilSignal(async ({ signal, code }) => {
    const options = {
      ...promptNodeOptions(settings),
      ...(service === null ? {} : { service }),
      services,
      lake: settings.lake,
      stop: signal,
      emit: eventListener(logger),
    }
    const later: string[] = []
    let printed = 0
    for (const request of jobs)
      if (queriesLake(request) && printed > 0) later.push(request.name)
      else printed += await printJob(request, options, logger)
    if (later.length > 0) process.stderr.write(`again: ${later.join(' ')}\n`)
    return code() ?? (later.length > 0 ? planAgain : 0)
  })
}

/** Prints the tasks of a job; returns their number. */
async function printJob(request: JobRequest, options: Omit<RunOptions, 'jobs'>, logger: Logger): Promise<number> {
  const job = await resolveJob(request, options.lake, options.stop)
  if (isSkipped(job)) {
    logger.warn(`${job.name}: skipped: the query of ${job.list} returns no row`, { query: job.query })
    return 0
  }
  const connections = createConnections(options)
  try {
    const { planned } = await planLake({ ...options, jobs: [job] }, connections, 'plan --tasks')
    const tasks = [...planned.values()].flatMap((each) => each.tasks)
    for (const task of tasks) await printLine(JSON.stringify(taskJson(task)))
    return tasks.length
  } finally {
    await connections.close()
  }
}
