import type { Bound, Range, RangeSource } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { givenTimeNs } from '../../lib/text/time.ts'
import { type FoundTime, findTime } from './find-time.ts'

/** A walk with bounds, and what its messages name. */
type Bounded = Pick<Range, 'from' | 'to'> & Partial<Pick<Range, 'record' | 'what'>>
type Timed = Pick<RangeSource<any>, 'times' | 'begins' | 'shared'>

/** A bound that is a time, with the record that the run found for it; null while no record has this time or a later one. */
export type TimeBound = { readonly time: string; readonly found: FoundTime | null }

/** The bounds of a walk as coordinates, with the times among them. */
type CountedBounds = {
  readonly from: number
  readonly to: number | null
  readonly times: readonly TimeBound[]
}

type Counted = { readonly at: number; readonly time: TimeBound | null }

/**
 * Bounds that count from the end, by the first head that the run has seen, and bounds that are times. Later rounds of the run keep them: they
 * would otherwise leave out what was added while a source could not be reached, and search again.
 */
const counted = new WeakMap<object, Map<Bound, Counted>>()

type Search = { readonly head: number; readonly found: Promise<FoundTime | null> }

/** The last search of each time in a source: streams that share requests share it too. */
const searches = new WeakMap<object, Map<string, Search>>()

/**
 * The bounds of a walk as coordinates. `head` is the last coordinate of its source, null for none. A time that no record has reached yet leads to
 * the coordinate after the head, and for `to` to the head itself (null): a later round searches again. Throws `ConfigError` for a time where
 * the records of the source have none.
 */
export async function boundsOf(
  walk: Bounded,
  source: Timed,
  head: number | null,
  signal?: AbortSignal,
): Promise<CountedBounds> {
  const known = counted.get(walk) ?? new Map<Bound, Counted>()
  counted.set(walk, known)
  const end = (head ?? -1) + 1

  async function count(bound: Bound): Promise<Counted> {
    const before = known.get(bound)
    if (before !== undefined) return before
    const now = typeof bound === 'number' ? { at: Math.max(0, end + bound), time: null } : await timed(bound)
    if (head !== null && now.time?.found !== null) known.set(bound, now)
    return now
  }
  async function timed(time: string): Promise<Counted> {
    const found = await searchOnce(time, walk, source, head, signal)
    return { at: found?.at ?? end, time: { time, found } }
  }
  const asIs = (bound: Bound): bound is number => typeof bound === 'number' && bound >= 0

  const from = asIs(walk.from) ? { at: walk.from, time: null } : await count(walk.from)
  if (walk.to === null) return { from: from.at, to: null, times: timesOf(from) }
  const to = asIs(walk.to) ? { at: walk.to, time: null } : await count(walk.to)
  return { from: from.at, to: to.time?.found === null ? null : to.at, times: timesOf(from, to) }
}

function timesOf(...bounds: readonly Counted[]): TimeBound[] {
  return bounds.flatMap(({ time }) => time ?? [])
}

function searchOnce(
  time: string,
  walk: Bounded,
  source: Timed,
  head: number | null,
  signal: AbortSignal | undefined,
): Promise<FoundTime | null> {
  const ns = givenTimeNs(time)
  if (ns === null) throw noTime(time)
  if (source.times === undefined) throw withoutTimes(time, walk)
  if (head === null) return Promise.resolve(null)
  const own = searches.get(source.shared ?? source) ?? new Map<string, Search>()
  searches.set(source.shared ?? source, own)
  const last = own.get(time)
  if (last?.head === head) return last.found
  const found = findTime({ times: source.times, begins: source.begins?.().at ?? 0, head, ns, signal })
  own.set(time, { head, found })
  found.catch(() => own.delete(time))
  return found
}

function noTime(time: string): ConfigError {
  return new ConfigError(`${JSON.stringify(time)} is no time.`, {
    code: 'config.range',
    hint: 'Write a date such as 2026-01-31, or a time such as 2026-01-31T12:00 (UTC).',
  })
}

function withoutTimes(time: string, { what = 'the source', record = 'record' }: Bounded): ConfigError {
  return new ConfigError(`${time} cannot be a bound: ${what} does not say the time of a ${record}.`, {
    code: 'config.range',
    hint: `Give the number of the ${record}.`,
  })
}
