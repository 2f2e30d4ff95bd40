import { createHash } from 'node:crypto'
import { ConfigError } from '../../errors.ts'
import { type Slice, type Stream, streamId } from '../../model.ts'
import type { JobMessage } from '../units/unit-message.ts'
import type { Anchor } from './anchor.ts'

export const taskFormat = 1 as const

/**
 * What a worker takes from the queue: a slice of a stream over containers, heights or blocks, or some streams whole. As a text in the
 * database it holds no secrets.
 */
export type Task = {
  /** Of the shape of a task: workers of another version may know another one. */
  readonly format: typeof taskFormat
  /** Name of the job. */
  readonly job: string
  /** What makes the streams of the job again. */
  readonly message: JobMessage
  /** Hashes of the URLs that numbers in the message stand for: each worker knows the URLs of its own configuration. */
  readonly urls: readonly string[]
  readonly streams: readonly Stream[]
  /** Null: all that the streams lack. */
  readonly slice: Slice | null
  /** Of the chain that a slice is of; null where its records have no ids, and for whole streams. */
  readonly anchor: Anchor | null
}

/** Two tasks of one key are one: it is not queued again while it waits or is under way. */
export function taskKey({ streams, slice }: Task): string {
  const ids = streams.map(({ network, path, parameters }) => streamId({ network, path, parameters }))
  return createHash('sha256')
    .update(JSON.stringify([ids, slice]))
    .digest('hex')
}

/** What messages call a task. */
export function taskText({ job, streams, slice }: Task): string {
  const [first, ...others] = streams.map(streamId)
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${job}: ${first}${more}${slice === null ? '' : ` [${slice.from}, ${slice.to})`}`
}

export function urlHash(url: string): string {
  return createHash('sha256').update(url).digest('hex')
}

/** Throws ConfigError for a task that another version of chainlake has queued in another shape. */
export function verifyFormat({ format }: Pick<Task, 'format'>): void {
  if (format === taskFormat) return
  throw new ConfigError('The task was queued by another version of chainlake.', {
    code: 'work.format',
    details: { 'format of the task': String(format), known: taskFormat },
    hint: 'Workers and whoever queues their tasks need the same version.',
  })
}

/** The URLs of a task, among those that the worker knows. Throws ConfigError for one that it does not. */
export function urlsOf({ job, urls }: Task, known: readonly string[]): string[] {
  const byHash = new Map(known.map((url) => [urlHash(url), url]))
  return urls.map((hash) => {
    const url = byHash.get(hash)
    if (url !== undefined) return url
    throw new ConfigError('The worker does not know a URL of the job.', {
      code: 'work.url',
      details: { job },
      hint: 'URLs may hold keys, so the queue has none: give the worker the same chainlake.yaml and environment as whoever queued the job.',
    })
  })
}

/** Stands for an integer that JSON has no place for. */
type IntegerText = { readonly integer: string }

/** A task as plain JSON. Throws RangeError for what that cannot say. */
export function taskJson(task: Task): object {
  return JSON.parse(
    JSON.stringify(task, (_, value) => {
      if (typeof value === 'bigint') return { integer: String(value) } satisfies IntegerText
      const isPlain = value === null || ['string', 'number', 'boolean', 'undefined', 'object'].includes(typeof value)
      if (!isPlain || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value))
        throw new RangeError(`A task of ${task.job} holds what no JSON text can say.`)
      return value
    }),
  )
}

/** The task again. */
export function taskOf(json: unknown): Task {
  return JSON.parse(JSON.stringify(json), (_, value) => (isInteger(value) ? BigInt(value.integer) : value))
}

function isInteger(value: unknown): value is IntegerText {
  if (typeof value !== 'object' || value === null) return false
  const { integer, ...others } = value as Partial<IntegerText>
  return typeof integer === 'string' && Object.keys(others).length === 0
}
