import type { LakeStatus, Measure, StreamStatus } from '../catalog/catalog.ts'
import { groupBy } from '../lib/group-by.ts'
import { countText } from '../lib/text/count-text.ts'
import { parametersText, pathId, type Slice } from '../model.ts'
import { boundText, lengthText, spanText } from '../run/job/slice-text.ts'
import { groupStreams } from '../run/status/group-streams.ts'
import { knownText } from '../run/status/known-text.ts'
import { gapsOf } from '../run/status/lake-gaps.ts'
import type { PageGap, PageSlice, PageStream } from './data/page-data.ts'
import { fillCommand } from './fill-command.ts'

export type Coverage = {
  readonly streams: readonly PageStream[]
  readonly gaps: readonly PageGap[]
  readonly moreGaps: number
  readonly count: number
  readonly complete: number
  /**
   * Each stream has a time at which it last reached its head. This is the earliest of them, in milliseconds since 1970; null when a stream
   * never reached its head.
   */
  readonly oldestReachedMs: number | null
}

/** The page lists at most this many gaps; a longer table would not help readers. */
const mostGaps = 300
/** Of many streams of one kind, the page shows at most this many incomplete ones individually. */
const mostIncomplete = 20
/** The page shows at most this many rows of streams; more would not make a readable picture. */
const mostRows = 400
/** A part of a bar cannot be seen if it is smaller than the bar's length divided by this number. */
const finest = 2_000

/** The coverage of a lake, for its page. The number of complete streams counts every stream individually. */
export function coverageOf(status: LakeStatus, lakeDir: string, measures: readonly Measure[]): Coverage {
  // The identity of a network is read once. It does not show how complete the lake is.
  const streams = status.streams.filter(({ kind }) => kind !== 'chains')
  const gaps = mergedGaps({ ...status, streams }, lakeDir, measures)
  const gapsByStream = groupBy(gaps, ({ stream }) => stream)
  const gapsIn = ({ stream }: StreamStatus): readonly PageGap[] => gapsByStream.get(stream) ?? []
  const reasonOf = (stream: StreamStatus): string | null => incompleteText(stream, gapsIn(stream).length)
  const rows = groupStreams(streams).flatMap(({ name, streams: own }): PageStream[] => {
    const [only, ...others] = own
    if (only !== undefined && others.length === 0) return streamRows(only, reasonOf(only), gapsIn(only))
    const open = own.filter((stream) => reasonOf(stream) !== null)
    return [
      groupRow(name, own, own.length - open.length),
      ...open.slice(0, mostIncomplete).flatMap((stream) => streamRows(stream, reasonOf(stream), gapsIn(stream))),
    ]
  })
  const reached = streams.map((stream) => stream.reached?.getTime() ?? null)
  return {
    streams: rows.slice(0, mostRows),
    gaps: gaps.slice(0, mostGaps).map(({ slice: _, ...gap }) => gap),
    moreGaps: Math.max(0, gaps.length - mostGaps),
    count: streams.length,
    complete: streams.filter((stream) => reasonOf(stream) === null).length,
    oldestReachedMs: reached.length === 0 || reached.includes(null) ? null : Math.min(...reached.map(Number)),
  }
}

/** Why a stream is not complete; null when it is. */
function incompleteText({ tables, stretches, observations, reached }: StreamStatus, gaps: number): string | null {
  if (gaps > 0) return gapsText(gaps)
  if (stretches !== null && !stretches.complete) return 'not read to its end'
  if (observations !== null && observations.complete === 0) return 'no complete reading yet'
  if (tables.length === 0 && stretches === null && observations === null && reached === null)
    return 'nothing is committed yet'
  return null
}

function gapsText(gaps: number): string {
  return gaps === 1 ? 'one gap' : `${countText(gaps)} gaps`
}

function streamRows(status: StreamStatus, incomplete: string | null, gaps: readonly PageGap[]): PageStream[] {
  const { unit, tables, stretches, observations, reached } = status
  const common = {
    stream: pathId(status),
    parameters: parametersText(status.parameters).slice(1),
    count: 1,
    complete: incomplete === null ? 1 : 0,
    reachedMs: reached?.getTime() ?? null,
    incomplete,
  }
  const isRange = stretches === null && observations === null && tables.some(({ slices }) => slices.length > 0)
  if (!isRange) return [{ ...common, ...sizeOf(tables), part: null, holds: knownText([status]), range: null }]
  const all = tables.flatMap(({ slices }) => slices)
  const range = {
    from: Math.min(
      ...tables.map(({ begins = 0 }) => (unit === 'containers' ? begins : Number.POSITIVE_INFINITY)),
      ...all.map(({ from }) => from),
    ),
    to: Math.max(...all.map(({ to }) => to)),
  }
  const alike = [...groupBy(tables, ({ slices }) => JSON.stringify(slices)).values()]
  return alike.map((own) => {
    const slices = own[0]?.slices ?? []
    const ownGaps = gaps.filter((gap) => own.some(({ table }) => gap.tables.includes(table))).length
    return {
      ...common,
      ...sizeOf(own),
      part: alike.length === 1 ? null : own.map(({ table }) => table).join(', '),
      holds: spanText(slices, unit) ?? 'nothing',
      range: { ...range, slices: drawable(slices, range) },
      incomplete: ownGaps === 0 ? null : gapsText(ownGaps),
    }
  })
}

function groupRow(name: string, streams: readonly StreamStatus[], complete: number): PageStream {
  const reached = streams.map((stream) => stream.reached?.getTime() ?? null)
  const open = streams.length - complete
  return {
    stream: name,
    parameters: '',
    part: null,
    count: streams.length,
    complete,
    ...sizeOf(streams.flatMap(({ tables }) => tables)),
    reachedMs: reached.includes(null) ? null : Math.min(...reached.map(Number)),
    holds: knownText(streams),
    range: null,
    incomplete: open === 0 ? null : `${countText(open)} of ${countText(streams.length)} are incomplete`,
  }
}

function sizeOf(tables: readonly { readonly rows: number; readonly bytes: number }[]) {
  return {
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** The slices to draw. Where there are many, slices that nearly touch become one. */
function drawable(slices: readonly Slice[], { from, to }: Slice): PageSlice[] {
  const least = slices.length > 200 ? (to - from) / finest : 0
  const drawn: [number, number][] = []
  for (const slice of slices) {
    const last = drawn.at(-1)
    if (last !== undefined && slice.from - last[1] < least) last[1] = slice.to
    else drawn.push([slice.from, slice.to])
  }
  return drawn
}

/** Merges the gaps of a stream that several tables share. */
function mergedGaps(
  status: LakeStatus,
  lakeDir: string,
  measures: readonly Measure[],
): (PageGap & { readonly slice: Slice })[] {
  const streams = new Map(status.streams.map((each) => [each.stream, each]))
  const alike = groupBy(gapsOf(status), ({ stream, from, to }) => JSON.stringify([stream, from, to]))
  return [...alike.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const { stream, unit, from, to } = first
    const tables = own.map(({ table }) => table)
    return [
      {
        stream,
        tables,
        from: boundText(from, unit),
        to: boundText(to, unit),
        missing: lengthText(to - from, unit),
        command: fillCommand({ stream: streams.get(stream)!, tables, slice: { from, to } }, lakeDir, measures),
        slice: { from, to },
      },
    ]
  })
}
