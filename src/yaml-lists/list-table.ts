import {
  type Columns,
  type DeclaredColumn,
  day,
  type History,
  identity,
  month,
  type Parameter,
  type Parameters,
  type PartitionKey,
  p,
  type Table,
  t,
  table,
} from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { definedOf } from '../lib/arrays.ts'
import { columnTypes, type ListText } from './list-schema.ts'

type ColumnText = ListText['table']['columns'][string]
type ParameterText = NonNullable<ListText['parameters']>[string]

/** A step of a path into an answer: a field, with `each` if the path continues in each element of its list. */
type PathStep = { readonly name: string; readonly each: boolean }

/** The steps of a path such as `owner.address` or `tags[].name`; null for a text that is no such path, or has several lists. */
export function pathSteps(path: string): PathStep[] | null {
  const steps = path.split('.').map((text): PathStep | null => {
    const name = /^([^[\]]+)(\[\])?$/.exec(text)
    return name === null ? null : { name: name[1] as string, each: name[2] !== undefined }
  })
  const whole = steps.filter((step) => step !== null)
  return whole.length < steps.length || whole.filter(({ each }) => each).length > 1 ? null : whole
}

/** Whether a text is a path to one value, such as `blocks[0].number`. */
export function isValuePath(path: string): boolean {
  return path.split('.').every((text) => /^[^[\]]+(?:\[\d+\])*$/.test(text))
}

/** The value at such a path; undefined where there is none. */
export function valueAt(json: unknown, path: string): unknown {
  let value = json
  for (const name of path.split(/[.[\]]+/).filter((text) => text !== ''))
    value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  return value ?? undefined
}

/** Values of the parameters of a job, by name. */
export type TemplateValues = Readonly<Record<string, unknown>>

/** Times in other forms than Unix seconds. */
const form = '(?::(ms|us|ns|iso|date|month))?'
const placeholder = new RegExp(`\\{([a-z][a-z0-9-]*)${form}\\}`, 'g')
const wholePlaceholder = new RegExp(`^\\{([a-z][a-z0-9-]*)${form}\\}$`)

/** The names in braces of a text, or of all texts in a value. */
export function placeholders(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(placeholder)].map(([, name = '']) => name)
  if (Array.isArray(value)) return value.flatMap(placeholders)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(placeholders) : []
}

/**
 * A value with its placeholders filled. A text that is one placeholder becomes the value itself, such as a number or a list. Undefined when
 * a placeholder has no value.
 */
export function filled(value: unknown, values: TemplateValues): unknown {
  if (typeof value === 'string') return filledText(value, values)
  if (Array.isArray(value)) return value.map((item) => filled(item, values)).filter((item) => item !== undefined)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, filled(member, values)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

/**
 * A path with its placeholders filled, percent-encoded. Throws `RangeError` when one has no value, and `ConfigError` for one that leads to
 * another path: values may come from a table that a service filled.
 */
export function filledPath(path: string, values: TemplateValues): string {
  return path.replace(placeholder, (_, name: string, format?: string) => {
    const value = valueFor(values, name, format)
    if (value === undefined || value === '') throw new RangeError(`The path ${path} needs a value for ${name}.`)
    if (/^\.{1,2}$/.test(String(value)))
      throw new ConfigError(`${name} cannot be ${value}: the path ${path} would lead to another one.`, {
        code: 'config.value',
        hint: `Leave this value out of ${name}.`,
      })
    return encodeURIComponent(String(value))
  })
}

function filledText(text: string, values: TemplateValues): unknown {
  const whole = wholePlaceholder.exec(text)
  if (whole !== null) return valueFor(values, whole[1] as string, whole[2])
  let isComplete = true
  const result = text.replace(placeholder, (_, name: string, format?: string) => {
    const value = valueFor(values, name, format)
    isComplete &&= value !== undefined
    return Array.isArray(value) ? value.join(',') : String(value)
  })
  return isComplete ? result : undefined
}

/** A value, or a time in Unix seconds in another format. */
function valueFor(values: TemplateValues, name: string, format: string | undefined): unknown {
  const value = values[name]
  if (value === undefined || format === undefined) return value
  const seconds = Number(value)
  switch (format) {
    case 'ms':
      return seconds * 1000
    case 'us':
      return seconds * 1_000_000
    case 'ns':
      return `${BigInt(seconds) * 1_000_000_000n}`
    case 'iso':
      return `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`
    default:
      return dayOf(seconds, name === 'to', format === 'month')
  }
}

/** The day or the month of a time. The end of a range that is not part of it is the first one after the range. */
function dayOf(seconds: number, isEnd: boolean, isMonth: boolean): string {
  const time = new Date((isEnd ? seconds - 1 : seconds) * 1000)
  if (isEnd) {
    if (isMonth) time.setUTCMonth(time.getUTCMonth() + 1, 1)
    else time.setUTCDate(time.getUTCDate() + 1)
  }
  return time.toISOString().slice(0, isMonth ? 7 : 10)
}

/** Whether the requests of a list name the days or months of a window; undefined if they name times. */
export function unitOf({ path, query = {}, body = {} }: ListText): 'day' | 'month' | undefined {
  const found = [...JSON.stringify([path, query, body]).matchAll(placeholder)]
  const forms = found.flatMap(([, name, form]) =>
    (windowNames as readonly (string | undefined)[]).includes(name) ? [form] : [],
  )
  return forms.includes('month') ? 'month' : forms.includes('date') ? 'day' : undefined
}

/** How many seconds around a time the requests of a list reach: those of days and months are wider than their ranges. */
export function widthOf(list: ListText): number {
  const days = { day: 1, month: 31 }
  const unit = unitOf(list)
  return unit === undefined ? 0 : days[unit] * 86_400
}

/** Values that the walk of a window gives to the templates of a list. */
export const windowNames = ['from', 'to', 'last'] as const

/** Names of the parameters that every list has, and of properties that every object has. */
export const addedParameters = ['network', 'from', 'to', 'unit-pages', 'pipeline', 'last', 'constructor'] as const

/** The parameters of jobs of a list: its own, and those that its walk needs. */
export function listParameters(list: ListText): Parameters {
  const own = Object.entries(list.parameters ?? {}).map(([name, text]) => [name, declaredParameter(text)] as const)
  return {
    ...(list.network === undefined ? networkParameter : {}),
    ...Object.fromEntries(own),
    ...(list.walk.kind === 'blockWindow' ? blockBounds : list.walk.kind === 'timeWindow' ? timeBounds : {}),
  }
}

const networkParameter = {
  network: p.text.required('Network of the rows, such as mainnet or fuji.', {
    pattern: { source: '^[a-z0-9-]+$', says: 'must be the name of a network, such as mainnet or fuji' },
    example: 'mainnet',
  }),
}
const blockBounds = {
  from: p.whole('First block, inclusive (default: 0).'),
  to: p.whole('Last block, exclusive (default: after the newest block of the service).'),
}
const timeBounds = {
  from: p.time('First second (default: 1970).'),
  to: p.time('End of the range, exclusive (default: after the newest time of the service).'),
}

function declaredParameter(text: ParameterText): Parameter {
  const { comment, type = 'text', required, choices, pattern, least, most, query } = text
  const rules = definedOf({
    choices,
    pattern: pattern === undefined ? undefined : { source: pattern, says: `must match ${pattern}` },
    least,
    most,
    query,
  })
  return required === true ? p[type].required(comment, rules) : p[type](comment, rules)
}

export function withDefaults({ parameters = {} }: ListText, values: TemplateValues): TemplateValues {
  const defaults = Object.entries(parameters).flatMap(([name, text]) =>
    text.default === undefined ? [] : [[name, text.default] as const],
  )
  return { ...Object.fromEntries(defaults), ...definedOf(values) }
}

/** Parameters that select rows: those in the path of requests, and those elsewhere, such as in the query. */
export function selectingParameters({ parameters = {}, path, walk }: ListText) {
  const keys = walk.kind === 'keyed' ? walk.keys : null
  const names = Object.keys(parameters).filter((name) => parameters[name]!.selects !== false && name !== keys)
  const all = placeholders(path)
  return { inPath: names.filter((name) => all.includes(name)), filters: names.filter((name) => !all.includes(name)) }
}

const network = { network: t.address('Network of the row.') }
const subject = { subject: t.address('What was observed completely; see the table observations.') }
const observation = {
  observation_id: t.address('Id of the observation that has the row.'),
  observed_at: t.timestamp('When the observation started (UTC).'),
}
const version = {
  observation_id: t.address('Id of the observation that found this version of the row.'),
  observed_at: t.timestamp('When that observation started (UTC).'),
  version_hash: t.hex('Hash of the content: equal for equal versions.'),
}
const present = {
  present: t.boolean(
    'False when a complete observation no longer had the row; the other columns repeat its last version.',
  ),
}

type Added = { readonly history: History; readonly columns: Columns; readonly key: readonly string[] }

const unchanging: Added = { history: 'rows', columns: network, key: [] }
const walkColumns: Readonly<Partial<Record<ListText['walk']['kind'] | 'changes', Added>>> = {
  snapshot: { history: 'observations', columns: { ...network, ...subject, ...observation }, key: ['observation_id'] },
  changes: { history: 'versions', columns: { ...network, ...version, ...present }, key: ['observed_at'] },
  series: { history: 'versions', columns: { ...network, ...version }, key: ['observed_at'] },
}

/** How rows of a list change over time, the columns that the walk adds, and the ones of them that belong to the key. */
export function addedByWalk({ walk }: ListText) {
  return walkColumns[walk.kind === 'snapshot' && walk.store === 'changes' ? 'changes' : walk.kind] ?? unchanging
}

export function listTable(list: ListText): Table {
  const { name, comment, key, sort = key, partitions = [], columns } = list.table
  const added = addedByWalk(list)
  const filters = selectingParameters(list).filters.map((parameter) => [parameter, columnOf(list, parameter)] as const)
  const own = Object.keys(columns)
  return table({
    name,
    comment,
    key: ['network', ...key, ...added.key],
    sortBy: [...sort],
    partitionBy: [identity('network'), ...partitions.map(partitionKey)],
    rowGroup: Object.values(columns).some(isList) ? 'nested' : 'flat',
    history: added.history,
    ...(added.history === 'observations' ? { coverage: { filters: Object.fromEntries(filters) } } : {}),
    unproven: { never: [...own, ...Object.keys(added.columns).filter((column) => column !== 'network')] },
    columns: {
      ...added.columns,
      ...Object.fromEntries(Object.entries(columns).map(([column, text]) => [column, declared(text)])),
    },
  })
}

/** Whether a column has a value for each element of a list. */
export function isList({ path, answer }: ColumnText): boolean {
  return pathSteps(path ?? answer ?? '')?.some(({ each }) => each) === true
}

function declared(text: ColumnText): DeclaredColumn {
  const { comment, nullable, path, answer } = text
  const [declare, reader] = columnTypes[text.type]
  const options = nullable === true ? ([{ nullable }] as const) : ([] as const)
  const column = isList(text)
    ? t.list(declare(`An item. ${comment}`), comment, ...(options as []))
    : declare(comment, ...(options as []))
  const nullValues = text['null-values']?.map(String)
  const at = path ?? (answer === undefined ? undefined : `/${answer}`)
  const marked = nullValues === undefined ? column : { ...column, nullValues, at: column.at }
  return at === undefined ? marked : marked.at(at, reader ?? text.unit ?? 'seconds')
}

/** The column that holds the value of a parameter; null when none does. */
export function columnOf({ table: { columns } }: ListText, parameter: string): string | null {
  return Object.entries(columns).find(([, column]) => column.parameter === parameter)?.[0] ?? null
}

function partitionKey(text: string): PartitionKey {
  const [, unit, column = ''] = /^(?:(month|day) of )?(.*)$/.exec(text) ?? []
  return unit === 'month' ? month(column) : unit === 'day' ? day(column) : identity(column)
}
