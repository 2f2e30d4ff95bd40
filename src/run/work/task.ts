import { createHash } from 'node:crypto'
import type { Bound } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { type Slice, type Stream, streamId } from '../../model.ts'
import type { JobMessage } from '../units/unit-message.ts'
import type { ChainCheckpoint } from './chain-checkpoint.ts'

export const taskFormat = 4 as const

/**
 * A task in the queue: a slice of a stream over containers, heights or blocks, or complete streams. It is stored as text in the database and
 * contains no secrets.
 */
export type Task = {
  /** Version of the format. Workers of another version of chainlake may expect another one. */
  readonly format: typeof taskFormat
  /** Name of the job. */
  readonly job: string
  /** Everything to recreate the streams of the job. */
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
  return createHash('sha256')
    .update(JSON.stringify([ids, slice]))
    .digest('hex')
}

/** The name of a task in messages. */
export function taskText({ job, streams, slice }: Task): string {
  const [first, ...others] = streams.map(streamId)
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${job}: ${first}${more}${slice === null ? '' : ` [${slice.from}, ${slice.to})`}`
}

export function urlHash(url: string): string {
  return createHash('sha256').update(url).digest('hex')
}

/** Throws ConfigError for a task in the format of another version of chainlake. */
export function verifyFormat({ format }: Pick<Task, 'format'>): void {
  if (format === taskFormat) return
  throw new ConfigError('The task was queued by another version of chainlake.', {
    code: 'work.format',
    details: { 'format of the task': String(format), known: taskFormat },
    hint: 'Workers and the command that queues tasks need the same version of chainlake.',
  })
}

/** The URLs of a task, from the configuration of the worker. Throws ConfigError for an unknown URL. */
export function urlsOf({ job, urls }: Task, known: readonly string[]): string[] {
  const byHash = new Map(known.map((url) => [urlHash(url), url]))
  return urls.map((hash) => {
    const url = byHash.get(hash)
    if (url !== undefined) return url
    throw new ConfigError('The worker does not know a URL of the job.', {
      code: 'work.url',
      details: { job },
      hint: 'The queue does not contain URLs, because they may contain keys. Start the worker with the chainlake.yaml and the environment of the command that queued the job.',
    })
  })
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

/** Restores a task from JSON. */
export function taskOf(json: unknown): Task {
  const { message, ...rest } = json as TaskJson
  // Another version may have stored another message. `verifyFormat` refuses its task.
  if (typeof message !== 'string') return json as Task
  return { ...rest, message: JSON.parse(message, (_, value) => (isInteger(value) ? BigInt(value.integer) : value)) }
}

function isInteger(value: unknown): value is IntegerText {
  if (typeof value !== 'object' || value === null) return false
  const { integer, ...others } = value as Partial<IntegerText>
  return typeof integer === 'string' && Object.keys(others).length === 0
}
