import type { Range } from '../../define/index.ts'
import type { FoundTime } from './find-time.ts'
import type { TimeBound } from './range-bounds.ts'

type NamedRecords = Pick<Range, 'record'>

/** One or two sentences about a bound that is a time: which record it is, and which times are not known. */
export function timeBoundText(walk: NamedRecords, { time, found }: TimeBound): string {
  if (found === null) return `${time}: no ${walk.record} has this time or a later one yet.`
  const { at, known } = found
  if (at === known.at) return [`${time} is ${recordText(walk, known)}.`, ...beforeText(walk, found)].join(' ')
  return `${time} is ${walk.record} ${at}, the first one; the first one with a known time is ${recordText(walk, known)}.`
}

function recordText(walk: NamedRecords, { at, time }: FoundTime['known']): string {
  return `${walk.record} ${at} (${timeText(time)})`
}

function beforeText(walk: NamedRecords, { at, isFirst, before }: FoundTime): string[] {
  if (isFirst) return [`The source has no ${walk.record} before it.`]
  if (before === null) return [`The ${walk.record}s before it have no known time.`]
  const unknown = at - 1 - before.at
  if (unknown === 0) return []
  const some = unknown === 1 ? `The ${walk.record} before it has` : `The ${unknown} ${walk.record}s before it have`
  return [`${some} no known time; the last known one before is ${recordText(walk, before)}.`]
}

/** A time in microseconds as RFC 3339, without a fraction that is zero. */
function timeText(time: bigint): string {
  const text = new Date(Number(time / 1000n)).toISOString()
  return text.replace('.000Z', 'Z')
}
