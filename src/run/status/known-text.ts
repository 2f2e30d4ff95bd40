import type { ObservationStatus, StreamStatus, StretchStatus } from '../../catalog/catalog.ts'
import { countText } from '../../lib/text/count-text.ts'
import { spanText } from '../job/slice-text.ts'

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

function stretchesOf(streams: readonly StreamStatus[]): string | null {
  return stretchesText(streams.flatMap(({ stretches }) => stretches ?? []))
}

function spanOf(streams: readonly StreamStatus[]): string | null {
  const slices = streams.flatMap(({ tables }) => tables.flatMap((table) => table.slices))
  const unit = streams[0]?.unit
  // The stream `chains` belongs to no pipeline; its ranges count nothing.
  return unit === undefined || unit === 'records' ? null : spanText(slices, unit)
}

function stretchesText(lists: readonly StretchStatus[]): string | null {
  const [only, ...others] = lists
  if (only === undefined) return null
  const items = counted(
    lists.reduce((sum, list) => sum + list.items, 0),
    'item',
  )
  const open = lists.filter(({ complete }) => !complete).length
  if (open === 0) return `${items}, to the end of the list${others.length === 0 ? '' : 's'}`
  if (others.length === 0) return `${items}, in ${counted(only.count, 'stretch', 'stretches')}, not to the end yet`
  return `${items}, ${countText(open)} of ${countText(lists.length)} lists not to the end yet`
}

function observationsText(observed: readonly ObservationStatus[]): string | null {
  if (observed.length === 0) return null
  const complete = observed.reduce((sum, one) => sum + one.complete, 0)
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

function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}
