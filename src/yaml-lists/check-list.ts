import { z } from 'zod'
import type { Pipeline } from '../define/index.ts'
import { compileList, isCounted, isItemsPath } from './list-pipeline.ts'
import { type ListText, listShape } from './list-schema.ts'
import {
  addedByWalk,
  addedParameters,
  isList,
  isValuePath,
  pathSteps,
  placeholders,
  windowNames,
} from './list-table.ts'

type Path = readonly PropertyKey[]
type ColumnText = ListText['table']['columns'][string]
type ParameterText = NonNullable<ListText['parameters']>[string]
type PagerText = NonNullable<ListText['pager']>

/** The rules that concern several settings of a list. Reports each broken one with its path. */
function checkList(list: ListText, context: z.RefinementCtx): void {
  const report: Report = (path, message) => context.addIssue({ code: 'custom', path: [...path], message })
  checkParameters(list, report)
  checkTemplates(list, report)
  checkIgnored(list, report)
  checkColumns(list, report)
  checkTable(list, report)
  checkPager(list, report)
  checkWalk(list, report)
}

function checkParameters(list: ListText, report: Report): void {
  const { parameters = {}, each, walk } = list
  for (const [name, parameter] of Object.entries(parameters))
    checkParameter(name, parameter, (path, message) => report(['parameters', name, ...path], message))
  const mustBeList = (path: Path, name: string | undefined): void => {
    if (name !== undefined && parameters[name]?.type !== 'list')
      report(path, `must name a parameter of the type list, and ${name} is none`)
  }
  mustBeList(['each'], each)
  mustBeList(['walk', 'keys'], walk.kind === 'keyed' ? walk.keys : undefined)
  if (each !== undefined && walk.kind === 'keyed') report(['each'], 'cannot be combined with the walk keyed')
}

function checkParameter(name: string, parameter: ParameterText, report: Report): void {
  const { type, query, required, pattern } = parameter
  if ((addedParameters as readonly string[]).includes(name))
    report([], 'is the name of a parameter that lists have by themselves, or of a bound: take another one')
  if (query !== undefined && type !== 'list') report(['query'], 'is for a parameter of the type list')
  if (parameter.default !== undefined && (required === true || type === 'list'))
    report(['default'], 'is for a parameter that is neither required nor a list')
  if (pattern !== undefined && !isPattern(pattern)) report(['pattern'], 'is no regular expression')
  else if (parameter.default !== undefined) {
    const mistake = defaultMistake(parameter, parameter.default)
    if (mistake !== null) report(['default'], mistake)
  }
}

/** Why a default is no value of its parameter; null for one that is. The values of jobs are checked when they are read. */
function defaultMistake(
  { type = 'text', choices, pattern, least = 0, most = Number.MAX_SAFE_INTEGER }: ParameterText,
  value: NonNullable<ParameterText['default']>,
): string | null {
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'must be true or false'
  if (type === 'whole' || type === 'time') {
    const what = type === 'time' ? 'a time in Unix seconds' : 'a whole number'
    return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `must be ${what} from ${least} to ${most}`
  }
  const text = String(value)
  if (choices !== undefined && !choices.includes(text)) return `must be one of ${choices.join(', ')}`
  return pattern === undefined || new RegExp(pattern).test(text) ? null : `must match ${pattern}`
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

function checkTemplates(list: ListText, report: Report): void {
  const { parameters = {}, walk, each } = list
  const isWindow = 'head' in walk
  const known = new Set(['network', ...Object.keys(parameters), ...(isWindow ? windowNames : [])])
  const found = templates(list)
  const used = new Set(found.flatMap(({ names }) => names))
  for (const { path, names } of found)
    for (const name of names) if (!known.has(name)) report(path, `names {${name}}, which is no parameter of the list`)
  for (const name of placeholders(list.path)) checkInPath(list, name, report)
  checkTexts(list, report)
  if (list.body !== undefined && list.method !== 'POST') report(['body'], 'needs method: POST')
  if (isWindow && !namesWindow(used))
    report(['walk'], 'needs {from} and {to} (or {last}, the last one included) in query, path or body')
  const single = walk.kind === 'keyed' ? { path: ['walk', 'keys'], name: walk.keys } : { path: ['each'], name: each }
  if (single.name !== undefined && !used.has(single.name))
    report(single.path, `{${single.name}} is in no request: use it in path, query or body`)
}

function namesWindow(names: ReadonlySet<string>): boolean {
  return names.has('from') && (names.has('to') || names.has('last'))
}

function checkTexts(list: ListText, report: Report): void {
  if (!/^\/(?!\/)[^\s?#]*$/.test(list.path))
    report(['path'], 'must be a path without //, white space, ? and #: see query')
  // Only the URL and the headers of a service may hold a key.
  for (const setting of ['path', 'query', 'body'] as const)
    if (/\$\{\w/.test(JSON.stringify(list[setting] ?? '')))
      report([setting], 'has a variable, and variables are replaced in services only: write it in url or headers there')
}

/** Fields to ignore are paths: those of an item are relative to it. */
function checkIgnored({ items, ignore = [] }: ListText, report: Report): void {
  const prefix = items === undefined ? '' : `${items === '[]' ? '' : items}[].`
  for (const [position, path] of ignore.entries())
    if (pathSteps(path.startsWith(prefix) ? path.slice(prefix.length) : path) === null)
      report(
        ['ignore', position],
        'must be fields with dots between them, such as meta.took or items[].logo, and [] after at most one list of an item',
      )
}

/** The settings that may have placeholders, with the names of these. */
function templates({ path, query = {}, body = {} }: ListText): { readonly path: Path; readonly names: string[] }[] {
  const within = (setting: string, entries: object) =>
    Object.entries(entries).map(([name, value]) => ({ path: [setting, name], names: placeholders(value) }))
  return [{ path: ['path'], names: placeholders(path) }, ...within('query', query), ...within('body', body)]
}

/** A parameter in the path always needs one value. */
function checkInPath({ parameters = {}, walk, each }: ListText, name: string, report: Report): void {
  const parameter = parameters[name]
  if (parameter === undefined || name === each || (walk.kind === 'keyed' && name === walk.keys)) return
  if (parameter.type === 'list')
    report(['path'], `names the list {${name}}: set each: ${name} for one request per item`)
  else if (mayBeMissing(parameter))
    report(['path'], `needs a value for {${name}}: make the parameter required, or give it a default`)
}

function mayBeMissing(parameter: ParameterText): boolean {
  return parameter.required !== true && parameter.default === undefined
}

function checkPager(list: ListText, report: Report): void {
  const { pager, walk, items, empty } = list
  if (empty !== undefined && items === undefined && walk.kind !== 'keyed')
    report(['empty'], 'needs items: without them the answer is always one item')
  if (list['keyed-by'] !== undefined && (items === undefined || items === '[]'))
    report(['keyed-by'], 'needs items that are the fields of an object')
  if (items !== undefined && !isItemsPath(items))
    report(['items'], 'must be fields with dots between them, such as result.rows, or []')
  if (pager === undefined) return
  if (isCounted(pager) && walk.kind !== 'snapshot')
    report(
      ['pager', 'kind'],
      `cannot be ${pager.kind} with the walk ${walk.kind}: an item that arrives or leaves while a run reads moves the others to another page, and rows are lost. Take a token or a link, or the walk snapshot`,
    )
  if (items === undefined) report(['pager'], 'needs items')
  if (walk.kind === 'keyed') report(['pager'], 'cannot be combined with the walk keyed: each key has one answer')
  if ('more' in pager && pager.more !== undefined && !isValuePath(pager.more))
    report(['pager', 'more'], 'must be a field of the answer, such as has_more')
  if (pager.kind === 'token') checkToken(pager, list, report)
}

function checkToken(pager: Extract<PagerText, { kind: 'token' }>, { body }: ListText, report: Report): void {
  if (!isValuePath(pager.at) || pathSteps(pager.at) === null)
    report(['pager', 'at'], 'must be a field of the answer, such as meta.next')
  if ((pager.query === undefined) === (pager.body === undefined)) report(['pager'], 'needs query or body for the token')
  if (pager.body !== undefined && body === undefined) report(['pager', 'body'], 'needs a body of the list')
}

function checkWalk({ walk, table: { columns } }: ListText, report: Report): void {
  const isTime = (name: string) => columns[name]?.type === 'time' && columns[name]?.nullable !== true
  const time = 'time' in walk ? walk.time : undefined
  if (time !== undefined && !isTime(time))
    report(['walk', 'time'], `${time} must be a column of the type time that is not nullable`)
  if (!('head' in walk)) return
  const { column, head, kind } = walk
  if (kind === 'timeWindow' && !isTime(column))
    report(['walk', 'column'], `${column} must be a column of the type time that is not nullable`)
  if (kind === 'blockWindow' && (columns[column]?.type !== 'int64' || columns[column]?.nullable === true))
    report(['walk', 'column'], `${column} must be a column of the type int64 that is not nullable`)
  if ('behind-seconds' in head) return
  if (!isValuePath(head.at)) report(['walk', 'head', 'at'], 'must be a field of the answer, such as blocks[0].number')
}

type Report = (path: Path, message: string) => void

function checkColumns(list: ListText, report: Report): void {
  const { columns } = list.table
  if (Object.keys(columns).length === 0) report(['table', 'columns'], 'must have at least one column')
  for (const [name, column] of Object.entries(columns)) {
    const at = ['table', 'columns', name]
    if (name in addedByWalk(list).columns)
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
  else if (mayBeMissing(declared) && declared.type !== 'list' && nullable !== true)
    report(at, `must be nullable: jobs may leave ${parameter} out`)
}

/** Whether a path leads into the value of another one. */
function isWithin(path: string, other: string): boolean {
  return path.startsWith(`${other}.`) || path.startsWith(`${other}[]`)
}

function checkTable({ table, walk, each }: ListText, report: Report): void {
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
  if (!isByTime && (column.type !== 'text' || isList(column)))
    report(`${name} can have too many values for a folder each: take a text with few values`)
}

/** A list of a JSON service, with all rules that concern it alone. */
export const listSchema = listShape.superRefine(checkList)

/** Why a name cannot be taken; null for a name that is free. */
type NameRule = (name: string) => string | null

/** The lists of chainlake.yaml. Their pipelines and tables must have names of their own. */
export function listsSchema(rules: { readonly pipeline: NameRule; readonly table: NameRule }) {
  return z
    .record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be in lower case with dashes, such as my-list'), listSchema)
    .superRefine((lists, context) => {
      const owners = new Map<string, string>()
      for (const [name, { table }] of Object.entries(lists as Readonly<Record<string, ListText>>)) {
        const report = (path: PropertyKey[], message: string | null) => {
          if (message !== null) context.addIssue({ code: 'custom', path: [name, ...path], message })
        }
        report([], rules.pipeline(name))
        report(['table', 'name'], rules.table(table.name))
        const owner = owners.get(table.name)
        report(
          ['table', 'name'],
          owner === undefined ? null : `${table.name} is already the table of the list ${owner}`,
        )
        owners.set(table.name, owner ?? name)
      }
    })
}

/** The pipelines of the lists that have no mistake. `lists` is the setting of chainlake.yaml as it was written. */
export function compileLists(lists: unknown): Pipeline[] {
  if (typeof lists !== 'object' || lists === null) return []
  return Object.entries(lists).flatMap(([name, text]) => {
    const read = listSchema.safeParse(text)
    return read.success && /^[a-z][a-z0-9-]*$/.test(name) ? [compileList(name, read.data)] : []
  })
}
