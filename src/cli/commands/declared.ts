import type { Catalog } from '../../catalog/catalog.ts'
import { timeColumnOf, viewsWithBuiltIn, withBuiltIn } from '../../declared/lake-tables.ts'
import {
  type DerivedView,
  isNullable,
  type Pipeline,
  shownColumns,
  type Table,
  type ViewColumn,
} from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { suggestion } from '../../lib/suggestion.ts'
import { countText } from '../../lib/text.ts'
import { tablesOf } from '../../pipeline-modules/load-module.ts'
import { spanText } from '../../run/status/lake-status.ts'
import type { FlagsOf } from '../flags/command.ts'
import { loadPipelines } from '../jobs/known-pipelines.ts'
import { readSettings, type SettingFlags } from '../settings.ts'
import { listing, textTable, textWidth } from '../terminal/tables.ts'
import { printResult } from '../terminal/terminal.ts'
import type { pipelinesCommand } from './export.ts'
import type { describeCommand, tablesCommand } from './lake.ts'
import { describePipeline, pipelineGroups, pipelineText } from './pipeline-description.ts'

/** What `describe` and `tables` know. */
type Declared = {
  readonly tables: readonly Table[]
  readonly views: readonly DerivedView[]
  readonly pipelines: readonly Pipeline[]
}

/** `chainlake pipelines`: resolves to the exit code. */
export async function listPipelines(flags: FlagsOf<typeof pipelinesCommand>): Promise<number> {
  const pipelines = await loadPipelines(flags)
  const facts = pipelines.map((pipeline) => ({ ...describePipeline(pipeline), reads: pipeline.reads }))
  const width = textWidth(process.stdout.columns)
  const groups = pipelineGroups.flatMap(({ title, has }) => {
    const entries = pipelines.filter(has).map(({ name, comment }) => [name, comment] as const)
    return listing(title, entries, width)
  })
  const end = '`chainlake run PIPELINE --help` shows parameters, tables and examples.'
  await printResult(flags, facts, [...groups.slice(1), '', end].join('\n'))
  return 0
}

/** `chainlake tables`: resolves to the exit code. */
export async function listTables(flags: FlagsOf<typeof tablesCommand>): Promise<number> {
  const declared = await loadDeclared(flags)
  const width = process.stdout.columns
  let list: readonly ListedInLake[] = tableList(declared)
  if (flags.lake !== undefined)
    list = listedInLake(list, declared.tables, await (await openNamedLake(flags)).tableExtents())
  const rows = list.map(({ name, kind, comment }) => [name, kind, comment])
  const text = textTable(['name', 'kind', 'description'], rows, width)
  await printResult(flags, list, flags.lake === undefined ? text : lakeTablesText(list, width))
  return 0
}

/** `chainlake describe`: resolves to the exit code. */
export async function describeName(
  flags: FlagsOf<typeof describeCommand>,
  [name = '']: readonly string[],
): Promise<number> {
  const declared = await loadDeclared(flags)
  const found = describe(name, declared)
  const pipeline = declared.pipelines.find((each) => each.name === name)
  const width = process.stdout.columns
  const text =
    found.kind === 'pipeline'
      ? pipelineText(pipeline!, width === undefined ? Infinity : textWidth(width), { withTimes: true })
      : descriptionText(found, width)
  await printResult(flags, found, text)
  return 0
}

function descriptionText({ name, kind, comment, key, partitionBy, columns }: Description, width: number | undefined) {
  const rows = columns.map(({ name, type, nullable, comment }) => [name, type, nullable ? 'null' : '', comment])
  return [
    `${name} (${kind}): ${comment}`,
    ...(key === undefined ? [] : [`key: ${key.join(', ')}`]),
    ...(partitionBy === undefined ? [] : [`folders: ${partitionBy.join(', ') || 'none'}`]),
    '',
    textTable(['column', 'type', '', 'meaning'], rows, width),
  ].join('\n')
}

/** The declarations of chainlake and of own pipelines, and with `--lake` those that the lake keeps. */
export async function loadDeclared(flags: FlagsOf<typeof tablesCommand>): Promise<Declared> {
  const pipelines = await loadPipelines(flags)
  if (flags.lake === undefined) return declaredBy(pipelines)
  const catalog = await openNamedLake(flags)
  return declaredBy(pipelines, { tables: await catalog.tables(), views: await catalog.views() })
}

/** The declarations of chainlake, of these pipelines and of a lake. Those of pipelines come first. */
export function declaredBy(
  pipelines: readonly Pipeline[],
  ofLake: Omit<Declared, 'pipelines'> = { tables: [], views: [] },
): Declared {
  const own = byName([...pipelines.flatMap(tablesOf), ...ofLake.tables])
  const views = byName([...pipelines.flatMap((pipeline) => pipeline.views), ...ofLake.views])
  return { tables: withBuiltIn(own), views: viewsWithBuiltIn(own, views), pipelines }
}

/** The catalog of the lake that `--lake` names. */
async function openNamedLake(flags: SettingFlags): Promise<Catalog> {
  const { openCatalog } = await import('../../catalog/catalog.ts')
  const { lake } = await readSettings(flags)
  return openCatalog(lake, [])
}

/** Of several with one name the first. */
function byName<T extends { readonly name: string }>(all: readonly T[]): T[] {
  return [...new Map(all.toReversed().map((each) => [each.name, each])).values()].toReversed()
}

/**
 * The declaration of a table, view or pipeline. Throws `ConfigError` with the most similar name for an unknown one.
 */
export function describe(name: string, declared: Declared) {
  const pipeline = declared.pipelines.find((candidate) => candidate.name === name)
  const found = describeTable(name, declared) ?? (pipeline === undefined ? undefined : describePipeline(pipeline))
  if (found !== undefined) return found
  throw new ConfigError(`There is no table, view or pipeline ${JSON.stringify(name)}.`, {
    code: 'config.unknown-table',
    hint: suggestion(name, describedNames(declared)),
  })
}

/** All names that `describe` accepts. */
export function describedNames(declared: Declared): string[] {
  return [...tableList(declared).map(({ name }) => name), ...declared.pipelines.map(({ name }) => name)]
}

type Listed = { readonly name: string; readonly kind: 'table' | 'view'; readonly comment: string }

type ColumnDescription = {
  readonly name: string
  readonly type: string
  /** Undefined for views, which do not declare it. */
  readonly nullable?: boolean
  readonly comment: string
}

type Description = Listed & {
  readonly key?: readonly string[]
  readonly partitionBy?: readonly string[]
  readonly columns: readonly ColumnDescription[]
}

/** The tables, then the views. */
export function tableList({ tables, views }: Declared): Listed[] {
  return [
    ...tables.map(({ name, comment }): Listed => ({ name, kind: 'table', comment })),
    ...views.map(({ name, comment }): Listed => ({ name, kind: 'view', comment })),
  ]
}

/** The declaration of a table or view; undefined for an unknown name. */
function describeTable(name: string, { tables, views }: Declared): Description | undefined {
  const table = tables.find((candidate) => candidate.name === name)
  const view = views.find((candidate) => candidate.name === name)
  const columns = table === undefined ? view?.columns : shownColumns(table)
  if (columns === undefined) return undefined
  const described = Object.entries<ViewColumn>(columns).map(([column, { type, comment }]) => ({
    name: column,
    type,
    ...(table === undefined ? {} : { nullable: isNullable(table, column) }),
    comment,
  }))
  if (table === undefined) return { name, kind: 'view', comment: view?.comment ?? '', columns: described }
  const { comment, key, partitionBy } = table
  const folders = partitionBy.map(({ transform, column }) =>
    transform === 'identity' ? column : `${transform} of ${column}`,
  )
  return { name, kind: 'table', comment, key, partitionBy: folders, columns: described }
}

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
  extents: Awaited<ReturnType<Catalog['tableExtents']>>,
): ListedInLake[] {
  return list.map((listed) => {
    if (listed.kind === 'view') return listed
    const { rows = 0, newest = new Map(), ranges = [] } = extents.get(listed.name) ?? {}
    const table = declared.find(({ name }) => name === listed.name)
    const micros = table === undefined ? undefined : newest.get(timeColumnOf(table))
    return {
      ...listed,
      rows,
      newest: micros === undefined ? null : `${new Date(Number(micros / 1000n)).toISOString().slice(0, 19)}Z`,
      coverage: ranges.map(({ stream, unit, slice }) => ({
        stream,
        unit,
        from: slice?.from ?? null,
        to: slice?.to ?? null,
      })),
    }
  })
}

/** What a lake has, for people: its tables, those with rows first. */
export function lakeTablesText(list: readonly ListedInLake[], width: number | undefined): string {
  const tables = list.filter(({ kind }) => kind === 'table')
  const filled = tables.filter(({ coverage = [] }) => coverage.length > 0)
  const rows = filled.map(({ name, rows = 0, newest, coverage = [] }) => [
    name,
    rows,
    newest ?? '',
    coverageText(coverage),
  ])
  const others = tables.filter((table) => !filled.includes(table)).map(({ name }) => name)
  return [
    ...(rows.length === 0 ? [] : [textTable(['table', '>rows', 'newest', 'read'], rows, width), '']),
    `No run has filled: ${others.join(', ')}.`,
    'The same in SQL: FROM lake_tables. Tables and views with rows: SHOW TABLES FROM filled, in DuckDB.',
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
