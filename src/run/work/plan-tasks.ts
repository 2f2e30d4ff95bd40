import { hostname } from 'node:os'
import { basename } from 'node:path'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { catalogOfLake } from '../../catalog/catalog.ts'
import { createEmptyLake } from '../../catalog/lake.ts'
import type { Bound, Range, StreamDeclaration } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { packageVersion } from '../../lib/package.ts'
import { streamId } from '../../model.ts'
import { runsInThreads } from '../../pipeline-modules/find-pipeline.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import type { Connections } from '../connections/connections.ts'
import { aboveFloor } from '../disk-space.ts'
import type { RangeResult } from '../events.ts'
import { endpointsOf, type Job, type JobMessage } from '../job.ts'
import {
  groupsOf,
  isRecords,
  type RunOptions,
  reportEndedViews,
  type StartedJobs,
  startFree,
  startJobs,
  verifyChains,
  withGivenIds,
  writeChains,
} from '../jobs/start-jobs.ts'
import {
  boundsOf,
  coveredOf,
  createHeads,
  openMember,
  planRange,
  reportHead,
  timeBoundText,
} from '../ranges/plan-slices.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import { chainCheckpointAt, type Task, type TaskBounds, urlHash } from './task.ts'

export type JobTasks = {
  readonly tasks: readonly Task[]
  /** The last range over records of the job, with the head of its source; null when the job has none. */
  readonly range: Pick<RangeResult, 'record' | 'stream' | 'head'> | null
}

type PlanRun = Pick<LakeRun, 'catalog' | 'stop' | 'emit'> & {
  readonly connections: Pick<Connections, 'connection'>
  /** URLs of the jobs, in the order of their numbers in messages. */
  readonly urls: readonly string[]
}

/** Maximum length of a slice, which is the most work that a crashed worker loses. */
const longestSlice = 32_768
/** A long range has several slices for each of this many workers. */
const usualWorkers = 8

/** Plans the tasks of a job: slices of ranges over containers, heights or blocks, and complete streams of any other kind. */
async function planTasks(job: Job, started: StartedJobs, run: PlanRun): Promise<JobTasks> {
  const { streams, message } = started.get(job)!
  checkTravels(job)
  const shared = {
    chainlake: packageVersion(),
    lake: (await run.catalog.snapshot()).lakeId,
    job: job.name,
    message: travelling(message),
    urls: run.urls.map(urlHash),
  }
  const tasks: Task[] = []
  let range: JobTasks['range'] = null
  const unique = [...new Map(streams.map((stream) => [streamId(stream.stream), stream])).values()]
  for (const group of groupsOf(unique)) {
    const [one] = group
    const ranges = isRecords(one) && group.length === 1 ? await slicesOf(one, run) : null
    if (ranges !== null) range = ranges.range
    if (ranges === null || ranges.slices === null) {
      const whole = { streams: group.map(({ stream }) => stream), slice: null, chainCheckpoint: null }
      tasks.push({ ...shared, ...whole, ...(await countedBounds(group, run)) })
    } else
      for (const slice of ranges.slices)
        tasks.push({ ...shared, streams: [one.stream], slice, chainCheckpoint: ranges.chainCheckpoint })
  }
  return { tasks, range }
}

/** Workers know the pipelines of chainlake and of their modules, and lists travel as data. Throws ConfigError for any other pipeline. */
function checkTravels({ name, pipeline }: Job): void {
  if (runsInThreads(pipeline) || pipeline.definition !== undefined) return
  throw new ConfigError(
    `Workers cannot run ${name}: its pipeline is not part of chainlake, of a module or of chainlake.yaml.`,
    { code: 'work.pipeline', hint: 'Export the pipeline from a module, or run it without --workers.' },
  )
}

/** A message for other machines, where only the file name of a module says something. */
function travelling(message: JobMessage): JobMessage {
  const { module } = message
  return module === undefined ? message : { ...message, module: { ...module, path: basename(module.path) } }
}

/** The slices of a stream, each for a task; null: the stream is one task. */
async function slicesOf(stream: StreamDeclaration<Range>, { catalog, connections, stop, emit }: PlanRun) {
  const member = await openMember(stream, connections.connection, 1)
  const { walk } = member
  const found = await createHeads(stop)(member)
  reportHead(member, found, emit)
  const head = found.at
  const range = { record: walk.record, stream: stream.stream.path, head }
  if (head === null) return { range, slices: [], chainCheckpoint: null }
  const covered = (await coveredOf(catalog, [member]))(member)
  const threadsFor = (coordinates: number) => Math.max(usualWorkers, Math.ceil(coordinates / (4 * longestSlice)))
  const { isPlain, plan, times, slices } = await planRange(member, covered, head, { threadsFor, signal: stop })
  for (const time of times) emit({ kind: 'notice', message: timeBoundText(walk, time), once: true })
  const [first] = plan.missing
  if (first === undefined) return { range, slices: [], chainCheckpoint: null }
  // An order that differs between nodes must be read from one node at a time.
  if (!isPlain || walk.order === 'node') return { range, slices: null, chainCheckpoint: null }
  const chainCheckpoint = await chainCheckpointAt(member, first.slice.from, stop)
  if (walk.notice !== null) emit({ kind: 'warning', message: walk.notice, once: true })
  return { range, slices: [...slices()].map(({ slice }) => slice), chainCheckpoint }
}

/** The bounds of the streams of a task that only the source can count; nothing if there are none. */
async function countedBounds(group: readonly StreamDeclaration[], run: PlanRun): Promise<Pick<Task, 'bounds'>> {
  if (!group.some((each) => isRecords(each) && [each.walk.from, each.walk.to].some(isCounted))) return {}
  const headOf = createHeads(run.stop)
  const bounds: (TaskBounds | null)[] = []
  for (const each of group) bounds.push(isRecords(each) ? await boundsOfStream(each, headOf, run) : null)
  return { bounds }
}

function isCounted(bound: Bound | null): boolean {
  return typeof bound === 'string' || (bound !== null && bound < 0)
}

/** Streams that share requests have the same head. */
async function boundsOfStream(
  { walk }: StreamDeclaration<Range>,
  headOf: ReturnType<typeof createHeads>,
  { connections, stop, emit }: PlanRun,
): Promise<TaskBounds | null> {
  const source = await walk.source(connections.connection(walk.endpoint), { underWay: 1 })
  const { at: head } = await headOf({ source, walk })
  if (head === null) return null
  const { from, to, times } = await boundsOf(walk, source, head, stop)
  for (const time of times) emit({ kind: 'notice', message: timeBoundText(walk, time), once: true })
  // The chain may reach a time before a worker begins.
  const waits = (bound: Bound | null) => times.some(({ time, found }) => time === bound && found === null)
  return waits(walk.from) ? null : { from, to: waits(walk.to) ? walk.to : to }
}

/**
 * Creates the lake if it does not exist, declares the tables and chains of jobs, and plans the tasks of the jobs in their order. It writes the
 * table `chains`, which belongs to no task. Resolves to the jobs with their tasks, and the run that has declared them.
 */
export async function planLake(options: RunOptions, connections: Connections, command: string) {
  const { lake, jobs, stop, emit, thread: given } = options
  const endpoints = endpointsOf(jobs)
  stop.throwIfAborted()
  const started = await startJobs(jobs, connections, endpoints)
  await createEmptyLake(lake, stop)
  const catalog = await catalogOfLake(lake, declaredTables, { stop })
  if (jobs.some(({ pipeline }) => pipeline.reads !== 'node')) connections.service().accounts.countIn(catalog)
  const identity = connections.identity()
  const streams = [...started.values()].flatMap((each) => each.streams)
  const { run, endedViews } = await startFree(jobs, started, {
    catalog,
    identity,
    isPlan: true,
    nodeIdOf: async () => null,
    command: `${command}, ${process.pid} of ${hostname()}`,
    ...(options.dropsColumns ? { dropsColumns: true } : {}),
  })
  reportEndedViews(endedViews, emit)
  const thread = given ?? createParquetThread()
  let parts = 0
  try {
    const { id: runId, covered } = run
    await verifyChains(streams, { ...options, catalog, connections })
    const store = aboveFloor(catalog.store, lake.folder)
    if (identity !== null)
      await writeChains({ store, catalog, thread, runId, nextPart: () => parts++, identity, covered })
    const planned = new Map<Job, JobTasks>()
    const planning = { catalog, connections, urls: endpoints.urls, stop, emit }
    const withIds = withGivenIds(started, run.tables)
    for (const job of withIds.keys()) planned.set(job, await planTasks(job, withIds, planning))
    await run.end('done')
    return { started, catalog, runId, planned }
  } catch (error) {
    await run.end('failed').catch(() => undefined)
    throw error
  } finally {
    if (given === undefined) await thread.close()
  }
}
