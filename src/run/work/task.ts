import { createHash } from 'node:crypto'
import { ConfigError } from '../../errors.ts'
import { type Slice, type Stream, streamId } from '../../model.ts'
import type { JobMessage } from '../range/unit-message.ts'

/**
 * What a worker takes from the queue: a slice of a stream over containers, heights or blocks, or some streams whole. As a text in the
 * database it holds no secrets.
 */
export type Task = {
  /** Name of the job. */
  readonly job: string
  /** What makes the streams of the job again. */
  readonly message: JobMessage
  /** Hashes of the URLs that numbers in the message stand for: each worker knows the URLs of its own configuration. */
  readonly urls: readonly string[]
  readonly streams: readonly Stream[]
  /** Null: all that the streams lack. */
  readonly slice: Slice | null
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

/** The text of a task. Throws RangeError for what a JSON text would change. */
export function taskJson(task: Task): Task {
  return JSON.parse(
    JSON.stringify(task, (_, value) => {
      const isPlain = value === null || ['string', 'number', 'boolean', 'undefined', 'object'].includes(typeof value)
      if (!isPlain || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value))
        throw new RangeError(`A task of ${task.job} holds what no JSON text can say.`)
      return value
    }),
  )
}
