import type { Bound, Range, StreamDeclaration } from '../../define/index.ts'
import type { Connections } from '../connections/connections.ts'
import type { EmitEvent } from '../job/events.ts'
import { isRecords, type StreamGroup } from '../jobs/stream-groups.ts'
import { boundsOf } from '../units/range-bounds.ts'
import { timeBoundText } from '../units/time-bound-text.ts'
import type { Task, TaskBounds } from './task.ts'

type Run = {
  readonly connections: Pick<Connections, 'connection'>
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

/** The bounds of the streams of a task that only the source can count; nothing if there are none. */
export async function countedBounds(group: StreamGroup, run: Run): Promise<Pick<Task, 'bounds'>> {
  if (!group.some((each) => isRecords(each) && [each.walk.from, each.walk.to].some(isCounted))) return {}
  const heads = new Map<unknown, Promise<number | null>>()
  const bounds: (TaskBounds | null)[] = []
  for (const each of group) bounds.push(isRecords(each) ? await boundsOfStream(each, heads, run) : null)
  return { bounds }
}

function isCounted(bound: Bound | null): boolean {
  return typeof bound === 'string' || (bound !== null && bound < 0)
}

/** Streams that share requests have the same head. */
async function boundsOfStream(
  { walk }: StreamDeclaration<Range>,
  heads: Map<unknown, Promise<number | null>>,
  { connections, stop, emit }: Run,
): Promise<TaskBounds | null> {
  const source = await walk.source(connections.connection(walk.endpoint), { underWay: 1 })
  const origin = source.shared ?? source
  const requested = heads.get(origin) ?? source.head(stop)
  heads.set(origin, requested)
  const head = await requested
  if (head === null) return null
  const { from, to, times } = await boundsOf(walk, source, head, stop)
  for (const time of times) emit({ kind: 'notice', message: timeBoundText(walk, time), once: true })
  // The chain may reach a time before a worker begins.
  const waits = (bound: Bound | null) => times.some(({ time, found }) => time === bound && found === null)
  return waits(walk.from) ? null : { from, to: waits(walk.to) ? walk.to : to }
}
