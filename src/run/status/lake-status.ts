import { tables as declaredTables } from '../../../schemas/index.ts'
import {
  type LakeStatus,
  lakeExists,
  type Measure,
  openCatalog,
  type SpendingAccount,
  type StreamStatus,
  type TableStatus,
} from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { groupBy, sumOf } from '../../lib/arrays.ts'
import { counted, countText, durationText } from '../../lib/text.ts'
import { pathId, type Slice, type Stream } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'
import { viewsHeader } from '../../views/published-views.ts'

/** The status of a lake: streams with coverage and gaps, tables with rows and bytes, last runs. */
export async function lakeStatus(lake: LakeLocation) {
  return (await openCatalog(lake, declaredTables)).status()
}

/**
 * The status of a lake with the snapshot that its views show, and the tasks of its workers. `viewsSnapshotId` is null where no views are,
 * and `tasks` when no tasks were ever queued. `newestTimes` reads the newest block time of each stream, which takes longer.
 */
export async function lakeStatusWithTasks(lake: LakeLocation, options: Parameters<typeof openCatalog>[2] = {}) {
  const catalog = await openCatalog(lake, declaredTables, options)
  const viewsSnapshotId = (await viewsHeader(lake.folder))?.snapshotId ?? null
  const { newestTimes } = catalog
  return { ...(await catalog.status()), viewsSnapshotId, tasks: await catalog.tasks(), newestTimes }
}

export type Gap = Slice & {
  readonly stream: string
  readonly table: string
  /** What `from` and `to` count. */
  readonly unit: string
}

/**
 * The gaps of each table, as the next run of the jobs would fill them: from the first coordinate that jobs asked for, up to the last coordinate
 * that any table of its stream covers or covered before a repair. Ranges other than those of a node's index are expected from the first covered
 * coordinate of the stream, because sources may begin later. A table that the last run did not fill is expected up to its own end. Gaps that
 * the user accepted do not count.
 */
export function gapsOf(status: LakeStatus): Gap[] {
  return status.streams.flatMap(({ stream, unit, tables }) => {
    const slices = tables.flatMap(extentOf)
    const least = isOfNode(unit) ? 0 : Math.min(...slices.map((slice) => slice.from))
    const most = Math.max(0, ...slices.map((slice) => slice.to))
    return tables.flatMap((table) => {
      const { begins = 0, isLeft = false } = table
      const to = isLeft ? Math.max(0, ...extentOf(table).map((slice) => slice.to)) : most
      const wanted = { from: Math.max(least, begins), to }
      return subtract([wanted], [...table.slices, ...(table.accepted ?? [])]).map((gap) => ({
        stream,
        table: table.table,
        unit,
        ...gap,
      }))
    })
  })
}

/** Whether a unit counts what the index of a node holds, from the first one on. */
export function isOfNode(unit: string): boolean {
  return unit === 'heights' || unit === 'containers'
}

function extentOf({ slices, gaps }: TableStatus): readonly Slice[] {
  return [...slices, ...gaps]
}

/** Lists that a run reads again because a repair removed rows of them. */
export function awaitedLists({ streams }: LakeStatus) {
  return streams.flatMap(({ stream, tables }) =>
    tables.filter(({ isAwaited }) => isAwaited === true).map(({ table }) => ({ stream, table })),
  )
}

/** Gaps that the user accepted, as far as they are still missing. */
export function acceptedGapsOf({ streams }: LakeStatus): Gap[] {
  return streams.flatMap(({ stream, unit, tables }) =>
    tables.flatMap(({ table, accepted = [], slices }) =>
      subtract(accepted, slices).map((gap) => ({ stream, table, unit, ...gap })),
    ),
  )
}

/** The lists that ended before the rows that were known, with each of their tables. */
export function unreadLists({ streams }: LakeStatus) {
  return streams.flatMap(({ stream, tables, stretches }) =>
    (stretches?.holes ?? []).flatMap((hole) => tables.map(({ table }) => ({ stream, table, ...hole }))),
  )
}

/** The measure of an earlier run, to estimate the time of the next one. */
export type LastMeasure = Pick<Measure, 'milliseconds' | 'records' | 'requests' | 'endedAtMs'> & {
  /** Whether the run was of the same job. Otherwise it was of another job of the same pipeline. */
  readonly own: boolean
}

export async function lakeMeasures(lake: LakeLocation): Promise<readonly Measure[]> {
  return (await lakeExists(lake)) ? (await openCatalog(lake, declaredTables)).measures() : []
}

/** The measure of the last run of a job, or else of its pipeline; null when there is none. */
export function lastMeasure(
  measures: readonly Measure[],
  { job, pipeline }: Pick<Measure, 'job' | 'pipeline'>,
): LastMeasure | null {
  const alike = measures.filter((each) => each.pipeline === pipeline).sort((a, b) => b.endedAtMs - a.endedAtMs)
  const own = alike.find((each) => each.job === job)
  const found = own ?? alike[0]
  return found === undefined ? null : { ...found, own: own !== undefined }
}

/** Seconds for `count` records or requests at the speed of an earlier run; null when that run had none. */
export function secondsFor(count: number, of: 'records' | 'requests', measure: LastMeasure | null): number | null {
  if (count === 0) return 0
  if (measure === null || measure[of] === 0) return null
  return (count * measure.milliseconds) / measure[of] / 1000
}

/** Units of a service that runs on the lake have spent in the last 24 hours; 0 without a lake. */
export async function spentUnits(lake: LakeLocation, account: SpendingAccount): Promise<number> {
  return (await lakeExists(lake)) ? (await openCatalog(lake, declaredTables)).units.spent(account) : 0
}

/** A short text about the rows in the lake of similar streams. */
export function knownText(streams: readonly StreamStatus[]): string {
  const rows = rowCount(streams)
  const observed = observationsText(streams.flatMap(({ observations }) => observations ?? []))
  const parts = [stretchesOf(streams), observed, spanOf(streams)].filter((part) => part !== null)
  if (parts.length === 0 && rows === 0) return 'nothing'
  return [counted(rows, 'row'), ...parts].join('; ')
}

/** What similar streams have read, without rows and times. */
export function extentText(streams: readonly StreamStatus[]): string {
  const complete = streams.reduce((sum, { observations }) => sum + (observations?.complete ?? 0), 0)
  const observed = complete === 0 ? null : counted(complete, 'observation')
  return [stretchesOf(streams), observed, spanOf(streams)].filter((part) => part !== null).join('; ')
}

/** Rows of `observations` do not count: each of them is one observation. */
export function rowCount(streams: readonly StreamStatus[]): number {
  const tables = streams.flatMap((stream) => stream.tables)
  return tables.reduce((sum, { table, rows }) => (table === 'observations' ? sum : sum + rows), 0)
}

function spanOf(streams: readonly StreamStatus[]): string | null {
  const slices = streams.flatMap(({ tables }) => tables.flatMap((table) => table.slices))
  const unit = streams[0]?.unit
  // The stream `chains` belongs to no pipeline; its ranges count nothing.
  return unit === undefined || unit === 'records' ? null : spanText(slices, unit)
}

function stretchesOf(streams: readonly StreamStatus[]): string | null {
  const lists = streams.flatMap(({ stretches }) => stretches ?? [])
  const [only, ...others] = lists
  if (only === undefined) return null
  const items = counted(sumOf(lists, 'items'), 'item')
  const open = lists.filter(({ complete }) => !complete).length
  if (open === 0) return `${items}, to the end of the list${others.length === 0 ? '' : 's'}`
  if (others.length === 0) return `${items}, in ${counted(only.count, 'stretch', 'stretches')}, not to the end yet`
  return `${items}, ${countText(open)} of ${countText(lists.length)} lists not to the end yet`
}

function observationsText(observed: readonly NonNullable<StreamStatus['observations']>[]): string | null {
  if (observed.length === 0) return null
  const complete = sumOf(observed, 'complete')
  const times = observed.flatMap(({ lastCompleted }) => lastCompleted?.getTime() ?? [])
  const half = observed.filter(({ openSince }) => openSince !== null).length
  const at = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
  const last =
    times.length === 0
      ? ''
      : times.length === 1
        ? `, the last at ${at(Math.max(...times))}`
        : `, the last ones from ${at(Math.min(...times))} on`
  const open = half === 0 ? '' : observed.length === 1 ? ', one is half read' : `, ${countText(half)} half read`
  return `${counted(complete, 'observation')}${last}${open}`
}

/** The last second that a JavaScript date can show (in the year 275760). */
const lastSecond = 8_640_000_000_000

/** The text of a slice bound: a number or a time, and `2025-11-01` for a midnight. */
export function boundText(bound: number, unit: string): string {
  if (unit !== 'seconds' || bound > lastSecond) return countText(bound)
  return new Date(bound * 1000).toISOString().replace(/(T00:00:00)?\.000Z$/, (_, midnight) => (midnight ? '' : 'Z'))
}

/** The text of a length with its unit: `1 container`, `2 d 3 h`. */
export function lengthText(length: number, unit: string): string {
  return unit === 'seconds' ? durationText(length) : `${countText(length)} ${length === 1 ? unit.slice(0, -1) : unit}`
}

/** The text of the span from the first to the last bound, ignoring gaps: `blocks 5 to 9`; null without slices. */
export function spanText(slices: readonly Slice[], unit: string): string | null {
  if (slices.length === 0) return null
  const from = Math.min(...slices.map((slice) => slice.from))
  const to = Math.max(...slices.map((slice) => slice.to))
  return `${unit === 'seconds' ? '' : `${unit} `}${boundText(from, unit)} to ${boundText(to, unit)}`
}

/** More streams of one pipeline are shown as a group: a job may have one stream for each of a thousand wallets. */
const mostStreams = 4

/** Groups streams that differ only in their parameters, in their order. A few streams are not grouped. */
export function groupStreams<S extends Stream & { readonly stream: string }>(
  streams: readonly S[],
): { readonly name: string; readonly streams: readonly S[] }[] {
  return [...groupBy(streams, pathId)].flatMap(([name, group]) =>
    group.length > mostStreams
      ? [{ name, streams: group }]
      : group.map((stream) => ({ name: stream.stream, streams: [stream] })),
  )
}

export function streamSums(streams: readonly StreamStatus[]): { readonly rows: number; readonly bytes: number } {
  const tables = streams.flatMap((stream) => stream.tables)
  return { rows: sumOf(tables, 'rows'), bytes: sumOf(tables, 'bytes') }
}

/** Values of parameters that are longer are cut in the middle. */
const longest = 24

/** The name of a stream for people, without its network: `rest-utxos/P, 64 addresses`. It counts the items of lists. */
export function shortName({ path, parameters }: Pick<Stream, 'path' | 'parameters'>): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  return [path, ...sorted.map(([name, value]) => valueText(name, [value].flat()))].join(', ')
}

function valueText(parameter: string, items: readonly string[]): string {
  if (items.length > 1) return `${items.length} ${parameter}`
  const [value = ''] = items
  return `${parameter}=${value.length > longest ? `${value.slice(0, 10)}…${value.slice(-6)}` : value}`
}

export function lastRunOf(streams: readonly StreamStatus[]): StreamStatus['lastRun'] {
  const runs = streams.flatMap(({ lastRun }) => lastRun ?? [])
  return runs.sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1) ?? null
}
