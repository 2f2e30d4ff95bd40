import type { TableExtent } from '../../../catalog/catalog.ts'
import type { Table } from '../../../define/index.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { spanText } from '../../../run/job/slice-text.ts'
import { fittedTable } from '../../terminal/fitted-table.ts'
import type { Listed } from './table-list.ts'

/** A table or view, and how much a lake has of a table. */
type ListedInLake = Listed & {
  rows?: number
  /** The newest time in the table, such as that of its newest block; null without rows or times. */
  newest?: string | null
  /** What streams have read for it; empty: no run has filled it. */
  coverage?: { stream: string; unit: string; from: number | null; to: number | null }[]
}

/** Adds what a lake has to the tables of a list. */
export function listedInLake(
  list: readonly Listed[],
  declared: readonly Table[],
  extents: ReadonlyMap<string, TableExtent>,
): ListedInLake[] {
  return list.map((listed) => {
    if (listed.kind === 'view') return listed
    const { rows = 0, newest = new Map(), ranges = [] } = extents.get(listed.name) ?? {}
    const table = declared.find(({ name }) => name === listed.name)
    const micros = table === undefined ? undefined : newest.get(timeOf(table))
    return {
      ...listed,
      rows,
      newest: micros === undefined ? null : timeText(micros),
      coverage: ranges.map(({ stream, unit, slice }) => ({
        stream,
        unit,
        from: slice?.from ?? null,
        to: slice?.to ?? null,
      })),
    }
  })
}

/** The column with the time of a row. Other columns may have times to come, such as the end of a stake. */
function timeOf({ columns, partitionBy }: Table): string {
  if ('block_time' in columns) return 'block_time'
  if ('observed_at' in columns) return 'observed_at'
  return partitionBy.find(({ transform }) => transform !== 'identity')?.column ?? ''
}

function timeText(micros: bigint): string {
  return `${new Date(Number(micros / 1000n)).toISOString().slice(0, 19)}Z`
}

/** What a lake has, for people: its tables, those with rows first. */
export function lakeTablesText(list: readonly ListedInLake[], width: number | undefined): string {
  const tables = list.filter(({ kind }) => kind === 'table')
  const filled = tables.filter(({ coverage = [] }) => coverage.length > 0)
  const rows = filled.map(({ name, rows = 0, newest, coverage = [] }) => [
    name,
    countText(rows),
    newest ?? '',
    coverageText(coverage),
  ])
  const others = tables.filter((table) => !filled.includes(table)).map(({ name }) => name)
  return [
    ...(rows.length === 0 ? [] : [fittedTable(['table', '>rows', 'newest', 'read'], rows, width), '']),
    `No run has filled: ${others.join(', ')}.`,
    'Views, and what each table holds: chainlake tables without --lake.',
  ].join('\n')
}

function coverageText(coverage: NonNullable<ListedInLake['coverage']>): string {
  const streams = new Set(coverage.map(({ stream }) => stream))
  if (streams.size > 1) return `${countText(streams.size)} streams`
  const slices = coverage.flatMap(({ from, to, unit }) =>
    from === null || to === null || unit === 'records' ? [] : [{ from, to }],
  )
  const span = spanText(slices, coverage[0]?.unit ?? '')
  if (span === null) return 'a list'
  return slices.length === 1 ? span : `${span}, ${countText(slices.length)} ranges`
}
