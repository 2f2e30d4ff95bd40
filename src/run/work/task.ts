import { hash } from 'node:crypto'
import { z } from 'zod'
import { pipelines as builtIn } from '../../../pipelines/index.ts'
import { shippedLists } from '../../config/shipped-lists.ts'
import type { Bound, Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { packageVersion } from '../../lib/package.ts'
import { type Slice, type Stream, streamId } from '../../model.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import { compileLists } from '../../yaml-lists/check-list.ts'
import { type JobMessage, revealUrls } from '../job.ts'
import { recordAt } from '../ranges/slice-checks.ts'
import type { RangeMember } from '../rows/lake-run.ts'

/**
 * A task: a slice of a stream over containers, heights or blocks, or complete streams. It is plain data without secrets: a queue or a line of
 * JSON holds it, and whoever takes it needs the same configuration.
 */
export type Task = {
  /** The version of chainlake that planned the task; another one refuses it. */
  readonly chainlake: string
  readonly lake: string
  readonly job: string
  readonly message: JobMessage
  /** Hashes of the URLs that the message refers to by number. Each worker knows the URLs of its own configuration. */
  readonly urls: readonly string[]
  readonly streams: readonly Stream[]
  /** Null: everything that is missing of the streams. */
  readonly slice: Slice | null
  /**
   * Bounds of complete streams that count from the end or are times, as the command that queued the task counted them: a later attempt would
   * count from another end. One for each stream, null for a stream without such bounds.
   */
  readonly bounds?: readonly (TaskBounds | null)[]
  /** Identifies the chain of a slice; null where records have no ids, and for complete streams. */
  readonly chainCheckpoint: ChainCheckpoint | null
}

/** Bounds of a range as coordinates. `to` is still a time while the chain has not reached it. */
export type TaskBounds = { readonly from: number; readonly to: Bound | null }

/** The key of a task. A task is not queued again while another one with the same key waits or is in progress. */
export function taskKey({ streams, slice }: Task): string {
  const ids = streams.map(({ network, path, parameters }) => streamId({ network, path, parameters }))
  return hash('sha256', JSON.stringify([ids, slice]), 'hex')
}

export function taskText({ job, streams, slice }: Task): string {
  const [first, ...others] = streams.map(streamId)
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${job}: ${first}${more}${slice === null ? '' : ` [${slice.from}, ${slice.to})`}`
}

export function urlHash(url: string): string {
  return hash('sha256', url, 'hex')
}

/** Refuses a task of another version of chainlake, and one of another lake: ConfigError `work.format`, `work.lake`. */
export function verifyTask({ chainlake, lake }: Pick<Task, 'chainlake' | 'lake'>, lakeId: string): void {
  verifyVersion(chainlake)
  if (lake !== lakeId)
    throw new ConfigError('The task was planned for another lake.', {
      code: 'work.lake',
      details: { 'lake of the task': String(lake), 'lake here': lakeId },
      hint: 'Pass the --lake that the tasks were planned with.',
    })
}

function verifyVersion(chainlake: string): void {
  if (chainlake !== packageVersion())
    throw new ConfigError('The task was planned by another version of chainlake.', {
      code: 'work.format',
      details: { 'version of the task': String(chainlake), 'version here': packageVersion() },
      hint: 'Install the same version where tasks are planned and where they run, and plan them again.',
    })
}

/** Reads a task from a line of JSON. Throws ConfigError `work.format`, `work.task`. */
export function parseTask(text: string): Task {
  try {
    const json = JSON.parse(text) as Partial<Task> | null
    // A task of another version may have another shape.
    if (typeof json?.chainlake === 'string') verifyVersion(json.chainlake)
    return taskOf(taskSchema.parse(json))
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError('The input is not a task.', {
      code: 'work.task',
      hint: 'Give one line that `chainlake plan --tasks` printed.',
      cause,
    })
  }
}

const coordinate = z.int().min(0)
/** What a task has at least. Whoever has changed its message gets the errors of the job. */
const taskSchema = z.looseObject({
  ...{ chainlake: z.string(), lake: z.string(), job: z.string(), message: z.string(), urls: z.array(z.string()) },
  streams: z
    .array(z.looseObject({ network: z.string(), path: z.string(), parameters: z.record(z.string(), z.unknown()) }))
    .min(1),
  slice: z
    .object({ from: coordinate, to: coordinate })
    .refine(({ from, to }) => from < to)
    .nullable(),
  chainCheckpoint: z.object({ index: coordinate, id: z.string() }).nullable(),
})

/** The values of a task with their URLs, from the configuration of the worker. Throws ConfigError for an unknown URL. */
export function knownValues({ job, urls, message }: Task, known: readonly string[]): JobMessage['values'] {
  const byHash = new Map(known.map((url) => [urlHash(url), url]))
  const own = urls.map((each) => {
    const url = byHash.get(each)
    if (url !== undefined) return url
    throw new ConfigError('The worker does not know a URL of the job.', {
      code: 'work.url',
      details: { job },
      hint: 'The queue does not contain URLs, because they may contain keys. Start the worker with the chainlake.yaml and the environment of the command that queued the job.',
    })
  })
  return revealUrls(message.values, own) as typeof message.values
}

/** Represents an integer that JSON does not support. */
type IntegerText = { readonly integer: string }

/** A task in the queue. Its message is text, because PostgreSQL sorts the keys of JSON, and the keys of a list are its columns in their order. */
type TaskJson = Omit<Task, 'message'> & { readonly message: string }

/** A task as plain JSON. Throws RangeError for values that JSON cannot represent. */
export function taskJson({ message, ...rest }: Task): TaskJson {
  const text = JSON.stringify(message, (_, value) => {
    if (typeof value === 'bigint') return { integer: String(value) } satisfies IntegerText
    const isPlain = value === null || ['string', 'number', 'boolean', 'undefined', 'object'].includes(typeof value)
    if (!isPlain || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value))
      throw new RangeError(`A task of ${rest.job} contains a value that JSON cannot represent.`)
    return value
  })
  return { ...rest, message: text }
}

export function taskOf(json: unknown): Task {
  const { message, ...rest } = json as TaskJson
  // Another version may have stored another message. `verifyTask` refuses its task.
  if (typeof message !== 'string') return json as Task
  return { ...rest, message: JSON.parse(message, (_, value) => (isInteger(value) ? BigInt(value.integer) : value)) }
}

function isInteger(value: unknown): value is IntegerText {
  if (typeof value !== 'object' || value === null) return false
  const { integer, ...others } = value as Partial<IntegerText>
  return typeof integer === 'string' && Object.keys(others).length === 0
}

/** A record that identifies the planned chain: workers compare it with their own source. */
type ChainCheckpoint = { readonly index: number; readonly id: string }

/** Coordinates without a record, such as null rounds, are passed over down to this many. */
const mostWithout = 64

/** The chain checkpoint at an index, or at the last one before it that has a record; null where records, and the blocks in them, have no ids. */
export async function chainCheckpointAt(
  { source, walk }: Pick<RangeMember, 'source' | 'walk'>,
  index: number,
  signal: AbortSignal,
): Promise<ChainCheckpoint | null> {
  let record: unknown = null
  let at = index
  for (; at >= 0 && at > index - mostWithout; at--) {
    record = await recordAt(source, at, signal)
    if (record !== null) break
  }
  if (record === null) return null
  const id = source.link?.(record).id ?? walk.linkOf?.(walk.outputs[0].read(record, walk.context) as never).id ?? null
  return id === null ? null : { index: at, id }
}

/**
 * Compares the chain of a worker's node with the planned chain: two networks may report the same name.
 *
 * @throws ConfigError `work.other-chain`.
 */
export async function verifyChainCheckpoint(
  member: RangeMember,
  chainCheckpoint: ChainCheckpoint,
  signal: AbortSignal,
): Promise<void> {
  const found = await chainCheckpointAt(member, chainCheckpoint.index, signal)
  if (found?.id === chainCheckpoint.id) return
  throw new ConfigError('The node of this worker serves another chain than the node that the task was planned from.', {
    code: 'work.other-chain',
    details: {
      stream: streamId(member.stream),
      [`${member.walk.record} ${chainCheckpoint.index}`]: found?.id ?? 'none',
      'as planned': chainCheckpoint.id,
    },
    hint: 'Start the worker with the URL of a node of that chain.',
  })
}

/**
 * The pipeline of a task: one of a module that this worker has loaded from the same files, one of chainlake, or a list, which travels with
 * the task as data. Nothing in a task is executed.
 *
 * @throws ConfigError `work.definition`, `work.pipeline`.
 */
export function taskPipeline({ pipeline: name, module, definition }: PipelineName, own: readonly Pipeline[]): Pipeline {
  if (module !== undefined) return ownPipeline(name, module, own)
  const known = [...builtIn, ...shippedLists()].find((each) => each.name === name)
  const found = known ?? (definition === undefined ? undefined : compileLists({ [name]: definition })[0])
  if (found !== undefined) return found
  throw new ConfigError(`This worker does not know the pipeline ${name}.`, {
    code: definition === undefined ? 'work.pipeline' : 'work.definition',
    hint: 'Workers and the command that queues tasks need the same version of chainlake.',
  })
}

function ownPipeline(name: string, queued: NonNullable<Pipeline['module']>, own: readonly Pipeline[]): Pipeline {
  const found = own.find((each) => each.name === name)
  if (found?.module === undefined)
    throw new ConfigError(`This worker has loaded no module with the pipeline ${name}.`, {
      code: 'work.definition',
      details: { pipeline: name, module: queued.path },
      hint: `Start the worker with the module: --pipelines ${queued.path}, or pipelines in its chainlake.yaml.`,
    })
  if (found.module.hash === queued.hash) return found
  throw new ConfigError(`This worker has another version of the module of the pipeline ${name} than the task.`, {
    code: 'work.definition',
    details: {
      pipeline: name,
      module: found.module.path,
      'hash of the worker': found.module.hash,
      'hash of the task': queued.hash,
    },
    hint: 'The module and the files that it imports must be the same on all machines. Copy them, and restart the worker or run the command that queued the task again.',
  })
}
