import { isDeepStrictEqual } from 'node:util'
import type { Connection } from '../../define/connection.ts'
import type { Endpoint, Pipeline } from '../../define/index.ts'
import { streamId } from '../../model.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import { revealUrls } from '../units/hidden-urls.ts'
import { openMember } from '../units/open-member.ts'
import { withIds } from '../units/own-tables.ts'
import type { RangeMember, RangeReading } from '../units/range-plan.ts'
import { replayFacts } from '../units/recorded-facts.ts'
import type { JobMessage, UnitMessage } from '../units/unit-message.ts'
import { readingOf } from './units-here.ts'

type Options = {
  readonly pipelineOf: (job: PipelineName) => Pipeline | Promise<Pipeline>
  readonly connection: (endpoint: Endpoint) => Connection
  /** The URLs that hidden URLs refer to. */
  readonly urls: readonly string[]
  /** Maximum number of windows that are requested concurrently. */
  readonly underWay: number
}

type Values = JobMessage['values']
type OpenJob = { readonly job: JobMessage; readonly members: Promise<ReadonlyMap<string, RangeMember>> }

/** Turns unit messages into readings. The streams of a job and their sources are created once. */
export function createUnitOpener(options: Options): (unit: UnitMessage) => Promise<RangeReading> {
  const open = createMemberOpener(options)
  return async (unit) => readingOf(unit, await open(unit))
}

/** Opens the stream of a unit together with its source. */
export function createMemberOpener(
  options: Options,
): (unit: Pick<UnitMessage, 'job' | 'stream'>) => Promise<RangeMember> {
  let open: OpenJob | null = null
  return async ({ job, stream }) => {
    if (open === null || !isDeepStrictEqual(open.job, job)) open = { job, members: membersOf(job, options) }
    const member = (await open.members).get(streamId(stream))
    if (member === undefined) throw new RangeError(`The job has no stream ${streamId(stream)}.`)
    return member
  }
}

async function membersOf(
  { values, facts, ids, ...name }: JobMessage,
  { connection, urls, underWay, pipelineOf }: Options,
): Promise<ReadonlyMap<string, RangeMember>> {
  const pipeline = await pipelineOf(name)
  const members = new Map<string, RangeMember>()
  for (const declared of await pipeline.streams(revealUrls(values, urls) as Values, replayFacts(facts))) {
    const { stream, tables, walk } = withIds(declared, ids)
    if (walk.kind === 'range')
      members.set(streamId(stream), await openMember({ stream, tables, walk }, connection, underWay))
  }
  return members
}
