import { pathSteps } from './json-path.ts'
import type { ColumnText, ListText } from './list-schema.ts'
import { isList, walkColumns } from './list-table.ts'

type Path = readonly PropertyKey[]

/** Reports a broken rule at a path of the list. */
export type Report = (path: Path, message: string) => void

/** Checks the columns, one by one and with each other. */
export function checkColumns(list: ListText, report: Report): void {
  const { columns } = list.table
  if (Object.keys(columns).length === 0) report(['table', 'columns'], 'must have at least one column')
  for (const [name, column] of Object.entries(columns)) {
    const at = ['table', 'columns', name]
    if (name in walkColumns[list.walk.kind].columns)
      report(at, `is a column that the walk ${list.walk.kind} adds: remove it, or take another name`)
    checkOrigin(column, at, list, report)
    if (column.unit !== undefined && column.type !== 'time') report([...at, 'unit'], 'is for columns of the type time')
    checkParameterColumn(column, at, list.parameters ?? {}, report)
  }
  const paths = Object.values(columns).flatMap(({ path }) => (path === undefined ? [] : [path]))
  const clash = paths.find((path, position) => paths.some((other, at) => at !== position && isWithin(other, path)))
  if (clash !== undefined)
    report(
      ['table', 'columns'],
      `cannot read ${clash} and a field in it: take the fields, or one column of the type json`,
    )
}

/** A column has one origin, and its path is one. */
function checkOrigin(column: ColumnText, at: Path, { items }: ListText, report: Report): void {
  const origins = (['path', 'answer', 'parameter'] as const).filter((origin) => column[origin] !== undefined)
  if (origins.length !== 1) report(at, 'needs one of path, answer and parameter')
  for (const origin of ['path', 'answer'] as const) {
    const path = column[origin]
    if (path !== undefined && pathSteps(path) === null)
      report(
        [...at, origin],
        'must be fields with dots between them, such as owner.address, and [] after at most one list',
      )
  }
  if (column.answer !== undefined && items === undefined)
    report([...at, 'answer'], 'is for lists with items: write path')
}

function checkParameterColumn(
  { parameter, nullable }: ColumnText,
  at: Path,
  parameters: NonNullable<ListText['parameters']>,
  report: Report,
): void {
  if (parameter === undefined || parameter === 'network') return
  const declared = parameters[parameter]
  if (declared === undefined) report([...at, 'parameter'], `names ${parameter}, which is no parameter of the list`)
  else if (
    declared.required !== true &&
    declared.default === undefined &&
    declared.type !== 'list' &&
    nullable !== true
  )
    report(at, `must be nullable: jobs may leave ${parameter} out`)
}

/** Whether a path leads into the value of another one. */
function isWithin(path: string, other: string): boolean {
  return path.startsWith(`${other}.`) || path.startsWith(`${other}[]`)
}

/** Checks what a table says about its columns. */
export function checkTable({ table, walk, each }: ListText, report: Report): void {
  const { columns, key, sort = [], partitions = [] } = table
  const check = (path: Path, name: string): ColumnText | null => {
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined
    if (column === undefined) report(path, `names ${name}, which is no column of the table`)
    return column ?? null
  }
  for (const [position, name] of key.entries()) {
    const path = ['table', 'key', position]
    const column = check(path, name)
    if (column !== null) checkKeyColumn(name, column, walk, (message) => report(path, message))
  }
  if (walk.kind === 'keyed' && !key.some((name) => columns[name]?.parameter === walk.keys))
    report(['table', 'key'], `must have a column with parameter: ${walk.keys}`)
  if (each !== undefined) checkKeyOfEach(table, each, report)
  checkRepeated(['table', 'key'], key, report)
  checkRepeated(['table', 'partitions'], partitions, report)
  for (const [position, name] of sort.entries()) check(['table', 'sort', position], name)
  for (const [position, text] of partitions.entries()) {
    const path = ['table', 'partitions', position]
    const name = text.replace(/^(?:month|day) of /, '')
    const column = check(path, name)
    if (column !== null) checkPartition(name, column, name !== text, (message) => report(path, message))
  }
}

/** Otherwise a row that two items have in common would be stored once, with the item that was read first. */
function checkKeyOfEach({ columns, key }: ListText['table'], each: string, report: Report): void {
  for (const [name, { parameter }] of Object.entries(columns))
    if (parameter === each && !key.includes(name))
      report(['table', 'key'], `must have ${name}: each item of ${each} has rows of its own`)
}

function checkRepeated(at: Path, names: readonly string[], report: Report): void {
  for (const [position, name] of names.entries())
    if (names.indexOf(name) < position) report([...at, position], `repeats ${name}`)
}

function checkKeyColumn(
  name: string,
  column: ColumnText,
  walk: ListText['walk'],
  report: (message: string) => void,
): void {
  if (column.nullable === true) report(`${name} is in the key, so it cannot be nullable`)
  if (isList(column)) report(`${name} is a list, so it cannot be in the key`)
  if (walk.kind === 'keyed' && column.parameter === undefined)
    report(`${name} must come from a parameter: the walk keyed looks for missing keys before it asks`)
}

function checkPartition(name: string, column: ColumnText, isByTime: boolean, report: (message: string) => void): void {
  if (isByTime && column.type !== 'time') report(`${name} is no time`)
  if (!isByTime && !isFolderColumn(column))
    report(`${name} can have too many values for a folder each: take a text with few values`)
}

function isFolderColumn(column: ColumnText): boolean {
  return column.type === 'text' && !isList(column)
}
