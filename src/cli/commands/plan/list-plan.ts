import type { LakeStatus, StreamStatus } from '../../../catalog/catalog.ts'
import type { StreamDeclaration, Walk } from '../../../define/index.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { type Stream, streamId } from '../../../model.ts'
import type { Job } from '../../../run/job/job.ts'
import { groupStreams } from '../../../run/status/group-streams.ts'
import { knownText } from '../../../run/status/known-text.ts'
import { textTable } from '../../terminal/text-table.ts'

export type ListPlan = {
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
  return {
    job: name,
    pipeline: pipeline.name,
    streams: streams.map((stream) => planStream(stream, status)),
    waits: null,
  }
}

function planStream({ stream, walk, tables }: StreamDeclaration, status: LakeStatus | null): StreamPlan {
  const id = streamId(stream)
  const questions = 'subjects' in walk ? walk.subjects.length : 'keys' in walk ? walk.keys.length : null
  return {
    ...stream,
    stream: id,
    walk: walk.kind,
    questions,
    tables: Object.values(tables).map(({ name }) => name),
    known: status?.streams.find((known) => known.stream === id) ?? null,
  }
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
