import { pipelines } from '../../pipelines/index.ts'
import type { LakeStatus, Measure, StreamStatus } from '../catalog/catalog.ts'
import type { Pipeline } from '../define/index.ts'
import { groupBy } from '../lib/arrays.ts'
import { countText, shellText } from '../lib/text.ts'
import { parametersText, pathId, type Slice } from '../model.ts'
import {
  boundText,
  gapsOf,
  groupStreams,
  isOfNode,
  knownText,
  lengthText,
  spanText,
  streamSums,
} from '../run/status/lake-status.ts'
import { isCChain } from '../sources/known-networks.ts'

/** The page lists at most this many gaps; a longer table would not help readers. */
const mostGaps = 300
/** Of many streams of one kind, the page shows at most this many incomplete ones individually. */
const mostIncomplete = 20
/** The page shows at most this many rows of streams; more would not make a readable picture. */
const mostRows = 400
/** A part of a bar cannot be seen if it is smaller than the bar's length divided by this number. */
const finest = 2_000

/** A stream, or tables of it with the same coverage, or many streams of one kind. */
export type PageStream = ReturnType<typeof streamRows>[number] | ReturnType<typeof groupRow>

export type PageGap = ReturnType<typeof mergedGaps>[number]

/** The coverage of a lake, for its page. The number of complete streams counts every stream individually. */
export function coverageOf(status: LakeStatus, lakeDir: string, measures: readonly Measure[]) {
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
      ...open
        .slice(0, mostIncomplete)
        .flatMap((stream): PageStream[] => streamRows(stream, reasonOf(stream), gapsIn(stream))),
    ]
  })
  return {
    streams: rows.slice(0, mostRows),
    gaps: gaps.slice(0, mostGaps),
    /** Number of gaps that are not listed. */
    moreGaps: Math.max(0, gaps.length - mostGaps),
    count: streams.length,
    complete: streams.filter((stream) => reasonOf(stream) === null).length,
    oldestReachedMs: oldestReachedMs(streams),
  }
}

/** The earliest of the times at which streams last reached their heads, in milliseconds since 1970; null when one never did. */
function oldestReachedMs(streams: readonly StreamStatus[]): number | null {
  const reached = streams.map((stream) => stream.reached?.getTime() ?? null)
  return reached.length === 0 || reached.includes(null) ? null : Math.min(...reached.map(Number))
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

function streamRows(status: StreamStatus, incomplete: string | null, gaps: readonly PageGap[]) {
  const { unit, tables, stretches, observations, reached } = status
  const common = {
    /** Its name in `chainlake status`, up to its parameters. */
    stream: pathId(status),
    /** Its parameters in `chainlake status`; empty for a stream without any. */
    parameters: parametersText(status.parameters).slice(1),
    /** Number of streams that the row is about. */
    count: 1,
    complete: incomplete === null ? 1 : 0,
    /** The time at which it last reached its head, in milliseconds since 1970; null: never, or not known. */
    reachedMs: reached?.getTime() ?? null,
    /** Why it is not complete; null when it is. */
    incomplete,
  }
  const isRange = stretches === null && observations === null && tables.some(({ slices }) => slices.length > 0)
  if (!isRange) return [{ ...common, ...streamSums([status]), part: null, holds: knownText([status]), range: null }]
  const all = tables.flatMap(({ slices }) => slices)
  const range = {
    from: Math.min(
      ...tables.map(({ begins = 0 }) => (isOfNode(unit) ? begins : Number.POSITIVE_INFINITY)),
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
      ...streamSums([{ ...status, tables: own }]),
      /** The tables that the row is about; null: all tables of the stream. */
      part: alike.length === 1 ? null : own.map(({ table }) => table).join(', '),
      /** The coverage as text for people, such as `0 to 2,000`. */
      holds: spanText(slices, unit) ?? 'nothing',
      /** The range and its covered slices; null for streams without ranges. */
      range: { ...range, slices: drawable(slices, range) },
      incomplete: ownGaps === 0 ? null : gapsText(ownGaps),
    }
  })
}

function groupRow(name: string, streams: readonly StreamStatus[], complete: number) {
  const open = streams.length - complete
  return {
    stream: name,
    parameters: '',
    part: null,
    count: streams.length,
    complete,
    ...streamSums(streams),
    reachedMs: oldestReachedMs(streams),
    holds: knownText(streams),
    range: null,
    incomplete: open === 0 ? null : `${countText(open)} of ${countText(streams.length)} are incomplete`,
  }
}

/** The slices to draw. Where there are many, slices that nearly touch become one. */
function drawable(slices: readonly Slice[], { from, to }: Slice): [number, number][] {
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
function mergedGaps(status: LakeStatus, lakeDir: string, measures: readonly Measure[]) {
  const streams = new Map(status.streams.map((each) => [each.stream, each]))
  const alike = groupBy(gapsOf(status), ({ stream, from, to }) => JSON.stringify([stream, from, to]))
  return [...alike.values()].map((own) => {
    const { stream, unit, from, to } = own[0]!
    const tables = own.map(({ table }) => table)
    return {
      stream,
      tables,
      from: boundText(from, unit),
      to: boundText(to, unit),
      missing: lengthText(to - from, unit),
      command: fillCommand({ stream: streams.get(stream)!, tables, slice: { from, to } }, lakeDir, measures),
    }
  })
}

type MissingRows = {
  readonly stream: Pick<StreamStatus, 'network' | 'chain' | 'pipeline' | 'unit'>
  readonly tables: readonly string[]
  readonly slice: Slice
}

/** The command that fetches the missing rows of a stream. Values that only the job knows are placeholders in angle brackets. */
export function fillCommand(
  { stream, tables, slice }: MissingRows,
  lakeDir: string,
  measures: readonly Measure[],
): string {
  const { pipeline: name, unit } = stream
  if (name === null) return `chainlake run --all --lake ${shellText(lakeDir)}`
  const jobs = measures.filter((measure) => measure.pipeline === name && measure.job !== name)
  const [job, ...others] = jobs.map((measure) => measure.job)
  const named = job !== undefined && others.length === 0
  const command = `chainlake run ${shellText(named ? job : name)}`
  const pipeline = pipelines.find((each) => each.name === name)
  // The parameters of a program's own pipelines are known only to the program.
  if (pipeline === undefined) return `${command} --lake ${shellText(lakeDir)}`
  const optional = Object.entries(pipeline.optional ?? {}).flatMap(([flag, more]) =>
    Object.values(more).some(({ name }) => tables.includes(name)) ? [`--${flag}`] : [],
  )
  return [
    command,
    ...(named ? [] : jobFlags(pipeline, stream)),
    ...rangeFlags(pipeline, unit, slice),
    ...optional,
    `--lake ${shellText(lakeDir)}`,
  ].join(' ')
}

/** Flags that replace the parameters of a job. */
function jobFlags(pipeline: Pipeline, { network, chain = '' }: MissingRows['stream']): string[] {
  const isEvm = pipeline.name.startsWith('evm-')
  const takesChain = 'chain' in pipeline.parameters
  return [
    ...(takesChain && isEvm && !isCChain(network, chain) ? [`--chain '<URL or id of chain ${chain}>'`] : []),
    ...(takesChain && !isEvm && isBlockchainId(chain) ? [`--chain ${shellText(chain)}`] : []),
    ...(pipeline.reads === 'node' ? [] : ["'<parameters of the job>'"]),
  ]
}

function rangeFlags({ parameters }: Pipeline, unit: string, slice: Slice): string[] {
  if (!('from' in parameters) || !('to' in parameters)) return []
  const inSeconds = unit === 'seconds'
  const bound = (value: number): string => (inSeconds ? new Date(value * 1000).toISOString() : String(value))
  return [`--from ${bound(slice.from)}`, `--to ${bound(slice.to)}`]
}

/** Whether the name of a chain is a blockchain id instead of an alias. */
function isBlockchainId(chain: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{30,}$/.test(chain)
}
