import type { LakeStatus, StreamStatus } from '../catalog/catalog.ts'
import type { ServicePipeline, ServiceSettings, ServiceStream } from '../define/index.ts'
import { streamId } from '../model.ts'
import type { ServiceJob } from '../run/job.ts'
import { formatCount, textTable } from './format.ts'

export type ServicePlan = {
  readonly job: string
  readonly pipeline: string
  readonly streams: readonly StreamPlan[]
  /** Why the streams are not known yet; null when they are. */
  readonly waits: string | null
}

export type StreamPlan = {
  readonly stream: string
  readonly walk: ReturnType<ServicePipeline['streams']>[number]['walk']['kind']
  /** Subjects of an observation or keys to ask; null for other walks. */
  readonly questions: number | null
  readonly tables: readonly string[]
  /** What the lake holds of the stream; null when nothing. */
  readonly known: StreamStatus | null
}

/** What a job would read and what the lake holds of it already. Nothing is asked: how much is new only a run finds out. */
export function planService(
  { name, pipeline, values }: ServiceJob,
  settings: ServiceSettings,
  status: LakeStatus | null,
): ServicePlan {
  return {
    job: name,
    pipeline: pipeline.name,
    streams: pipeline.streams(values, settings).map((stream) => planStream(stream, status)),
    waits: null,
  }
}

function planStream({ stream, walk, tables }: ServiceStream, status: LakeStatus | null): StreamPlan {
  const id = streamId(stream)
  const questions = 'subjects' in walk ? walk.subjects.length : 'keys' in walk ? walk.keys.length : null
  return {
    stream: id,
    walk: walk.kind,
    questions,
    tables: Object.values(tables).map(({ name }) => name),
    known: status?.streams.find((known) => known.stream === id) ?? null,
  }
}

/** The plan for people: a line for each stream. */
export function servicePlanText(plans: readonly ServicePlan[]): string {
  const rows = plans.flatMap(({ job, streams, waits }) => [
    ...(waits === null ? [] : [[job, waits, '', '']]),
    ...streams.map(({ stream, walk, questions, known }) => [
      job,
      stream,
      questions === null ? walk : `${walk} of ${formatCount(questions)}`,
      knownText(known),
    ]),
  ])
  return textTable(['job', 'stream', 'walk', 'the lake holds'], rows)
}

/** What the lake holds of a stream, in a few words. */
export function knownText(known: StreamStatus | null): string {
  if (known === null) return 'nothing'
  const { stretches, observations, tables } = known
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const held = `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`
  if (stretches !== null)
    return `${held}; ${formatCount(stretches.items)} items, ${stretches.complete ? 'to the end of the list' : `in ${stretches.count} ${stretches.count === 1 ? 'stretch' : 'stretches'}, not to the end yet`}`
  if (observations !== null) {
    const last = observations.lastCompleted?.toISOString().slice(0, 19)
    const open = observations.openSince === null ? '' : ', one is half read'
    return `${held}; ${formatCount(observations.complete)} observations${last === undefined ? '' : `, the last at ${last}Z`}${open}`
  }
  const slices = tables.flatMap((table) => table.slices)
  if (slices.length === 0) return rows === 0 ? 'nothing' : held
  const from = Math.min(...slices.map((slice) => slice.from))
  const to = Math.max(...slices.map((slice) => slice.to))
  return `${held}; ${from} to ${to}`
}
