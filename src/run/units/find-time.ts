import type { RangeSource, RecordTime } from '../../define/index.ts'
import { pause } from '../../lib/pause.ts'

/** A record with a known time, in microseconds since 1970 UTC. */
type TimedRecord = { readonly at: number; readonly time: bigint }

/** The first record at or after a time. */
export type FoundTime = {
  /** Its coordinate. */
  readonly at: number
  /** The first record with a known time at or after the time: the same one, unless no record before it has a known time. */
  readonly known: TimedRecord
  /** The last record before it with a known time; null if there is none. */
  readonly before: TimedRecord | null
  /** Whether the source has no record before it. */
  readonly isFirst: boolean
}

type Search = {
  readonly times: NonNullable<RangeSource<any>['times']>
  /** The first coordinate of the source. */
  readonly begins: number
  /** Its last coordinate. */
  readonly head: number
  /** Nanoseconds since 1970 UTC. */
  readonly ns: bigint
  /** Wait before a record that seems to be missing is requested again; it doubles. Default 500 ms. */
  readonly waitMs?: number
  readonly signal?: AbortSignal | undefined
}

/** How often a missing record is requested again: one of several nodes behind a URL may lag behind. */
const tries = 4
/** Records without a known time that are requested at once, at first and at most. */
const firstWindow = 16
const longestWindow = 512

/**
 * Finds the first record at or after a time, by binary search; null while there is none. A record without a known time counts as the nearest
 * one with a known time before it, or as the first one with a known time if there is none before it. A missing record counts as earlier.
 *
 * Where times decrease, the record found is one at which the time passes. The coordinates that the search compares do not depend on the head,
 * so that later runs find the same record: ranges that meet at a time neither overlap nor leave a gap.
 */
export async function findTime(search: Search): Promise<FoundTime | null> {
  const { begins, head } = search
  const known = createKnownTimes(search)
  if (head < begins) return null
  if ((await known.persistent(head)) === 'missing' || (await known.isEarlier(head, begins))) return null
  for (;;) {
    const at = await lowest(search, known.isEarlier)
    if (at === begins || (await known.at(at - 1)) !== 'missing' || (await known.persistent(at - 1)) === 'missing')
      return await described(at, search, known)
    // Another node has the record: the search is not finished before all of its steps agree.
    known.forgetMissing()
  }
}

/** The lowest coordinate that is not earlier. */
async function lowest(
  { begins, head }: Pick<Search, 'begins' | 'head'>,
  isEarlier: KnownTimes['isEarlier'],
): Promise<number> {
  let at = 0
  for (let step = 2 ** Math.floor(Math.log2(head + 1)); step >= 1; step /= 2) {
    const last = at + step - 1
    if (last > head) continue
    if (last < begins || (await isEarlier(last, Math.max(at, begins)))) at += step
  }
  return at
}

async function described(at: number, { begins }: Search, known: KnownTimes): Promise<FoundTime> {
  const time = await known.at(at)
  if (typeof time !== 'bigint') throw new RangeError(`The record at ${at} has no known time.`)
  const before = await known.lastBefore(at, begins)
  const first = before === null ? begins : at
  return {
    at: first,
    known: { at, time },
    before: before === null || before.time === 'missing' ? null : { at: before.at, time: before.time },
    isFirst: first === begins || (before?.at === at - 1 && before.time === 'missing'),
  }
}

type KnownTimes = {
  at(coordinate: number): Promise<RecordTime>
  /** Requests a record that seems to be missing several times. */
  persistent(coordinate: number): Promise<RecordTime>
  /** Whether a record is earlier than the time. All records below `low` are. */
  isEarlier(coordinate: number, low: number): Promise<boolean>
  /** The last record in `[low, end)` that is missing or has a known time. */
  lastBefore(end: number, low: number): Promise<{ readonly at: number; readonly time: bigint | 'missing' } | null>
  forgetMissing(): void
}

function createKnownTimes({ times, ns, waitMs = 500, signal }: Search): KnownTimes {
  const known = new Map<number, RecordTime>()

  async function read(from: number, to: number): Promise<void> {
    const found = await times(from, to, signal)
    for (const [index, time] of found.entries()) known.set(from + index, time)
  }
  async function at(coordinate: number): Promise<RecordTime> {
    if (!known.has(coordinate)) await read(coordinate, coordinate + 1)
    return known.get(coordinate) ?? 'missing'
  }
  const isBefore = (time: bigint | 'missing') => time === 'missing' || time * 1000n < ns

  const lastBefore: KnownTimes['lastBefore'] = async (end, low) => {
    let window = firstWindow
    for (let coordinate = end - 1; coordinate >= low; coordinate--) {
      if (!known.has(coordinate)) {
        await read(Math.max(low, coordinate + 1 - window), coordinate + 1)
        window = Math.min(longestWindow, window * 2)
      }
      const time = await at(coordinate)
      if (time !== 'unknown') return { at: coordinate, time }
    }
    return null
  }

  return {
    at,
    lastBefore,
    async persistent(coordinate) {
      for (let attempt = 1; (await at(coordinate)) === 'missing' && attempt < tries; attempt++) {
        await pause(waitMs * 2 ** (attempt - 1), signal)
        await read(coordinate, coordinate + 1)
      }
      return at(coordinate)
    },
    async isEarlier(coordinate, low) {
      const time = await at(coordinate)
      if (time !== 'unknown') return isBefore(time)
      const nearest = await lastBefore(coordinate, low)
      return nearest === null || isBefore(nearest.time)
    },
    forgetMissing() {
      for (const [coordinate, time] of known) if (time === 'missing') known.delete(coordinate)
    },
  }
}
