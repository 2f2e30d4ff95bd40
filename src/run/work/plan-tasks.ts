import { basename } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Range, StreamDeclaration } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { type Slice, streamId } from '../../model.ts'
import { runsInThreads } from '../../pipeline-modules/find-pipeline.ts'
import type { Connections } from '../connections/connections.ts'
import type { EmitEvent } from '../job/events.ts'
import type { Job } from '../job/job.ts'
import type { StartedJob } from '../jobs/start-jobs.ts'
import { groupsOf } from '../jobs/stream-groups.ts'
import type { RangeResult } from '../rows/job-result.ts'
import { openMember } from '../units/open-member.ts'
import { coveredOf, planRange } from '../units/range-plan.ts'
import { timeBoundText } from '../units/time-bound-text.ts'
import type { JobMessage } from '../units/unit-message.ts'
import { type ChainCheckpoint, chainCheckpointAt } from './chain-checkpoint.ts'
import { type Task, taskFormat, urlHash } from './task.ts'
import { countedBounds } from './task-bounds.ts'

/** The tasks of a job. */
export type JobTasks = {
  readonly tasks: readonly Task[]
  /** The last range over records of the job, with the head of its source; null when the job has none. */
  readonly range: Pick<RangeResult, 'record' | 'stream' | 'head'> | null
}

type PlanRun = {
  readonly catalog: Catalog
  readonly connections: Pick<Connections, 'connection'>
  /** URLs of the jobs, in the order of their numbers in messages. */
  readonly urls: readonly string[]
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

/** Maximum length of a slice, which is the most work that a crashed worker loses. */
const longestSlice = 32_768
/** A long range has several slices for each of this many workers. */
const usualWorkers = 8

/** Plans the tasks of a job: slices of ranges over containers, heights or blocks, and complete streams of any other kind. */
export async function planTasks(job: Job, { streams, message }: StartedJob, run: PlanRun): Promise<JobTasks> {
  checkTravels(job)
  const shared = { format: taskFormat, job: job.name, message: travelling(message), urls: run.urls.map(urlHash) }
  const tasks: Task[] = []
  let range: JobTasks['range'] = null
  const unique = [...new Map(streams.map((stream) => [streamId(stream.stream), stream])).values()]
  for (const group of groupsOf(unique)) {
    const [{ walk, ...one }] = group
    const isSliced = walk.kind === 'range' && walk.combined !== true
    const ranges = isSliced ? await slicesOf({ ...one, walk }, run) : null
    if (ranges !== null && walk.kind === 'range')
      range = { record: walk.record, stream: one.stream.path, head: ranges.head }
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

type Slices = {
  readonly head: number | null
  /** Null: the stream is one task. */
  readonly slices: readonly Slice[] | null
  readonly chainCheckpoint: ChainCheckpoint | null
}

async function slicesOf(
  stream: StreamDeclaration<Range>,
  { catalog, connections, stop, emit }: PlanRun,
): Promise<Slices> {
  const member = await openMember(stream, connections.connection, 1)
  const { source, walk } = member
  const head = await source.head(stop)
  if (head === null) {
    const why = source.whyEmpty === undefined ? `There is nothing in ${walk.what} yet.` : source.whyEmpty()
    if (why !== null) emit({ kind: 'notice', message: why, once: true })
    return { head, slices: [], chainCheckpoint: null }
  }
  const beginning = source.begins?.().notice
  if (typeof beginning === 'string') emit({ kind: 'warning', message: beginning, once: true })
  const covered = (await coveredOf(catalog, [member]))(member)
  const threadsFor = (coordinates: number) => Math.max(usualWorkers, Math.ceil(coordinates / (4 * longestSlice)))
  const { isPlain, plan, times, readings } = await planRange(member, covered, head, { threadsFor, signal: stop })
  for (const time of times) emit({ kind: 'notice', message: timeBoundText(walk, time), once: true })
  const [first] = plan.missing
  if (first === undefined) return { head, slices: [], chainCheckpoint: null }
  // An order that differs between nodes must be read from one node at a time.
  if (!isPlain || walk.order === 'node') return { head, slices: null, chainCheckpoint: null }
  const chainCheckpoint = await chainCheckpointAt(member, first.slice.from, stop)
  if (walk.notice !== null) emit({ kind: 'warning', message: walk.notice, once: true })
  return { head, slices: [...readings()].map(({ unit }) => unit.slice), chainCheckpoint }
}
