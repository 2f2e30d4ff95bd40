import {
  type Columns,
  type DeclaredColumn,
  day,
  type History,
  identity,
  month,
  type PartitionKey,
  type ReaderName,
  type Table,
  t,
  table,
} from '../define/index.ts'
import { pathSteps } from './json-path.ts'
import { filterParameters } from './list-parameters.ts'
import type { ColumnText, ListText } from './list-schema.ts'

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

/** How rows of a list change over time, the columns that the walk adds, and the ones of them that belong to the key. */
export const walkColumns: Readonly<
  Record<
    ListText['walk']['kind'],
    { readonly history: History; readonly columns: Columns; readonly key: readonly string[] }
  >
> = {
  pageChain: { history: 'rows', columns: network, key: [] },
  oldestFirst: { history: 'rows', columns: network, key: [] },
  blockWindow: { history: 'rows', columns: network, key: [] },
  timeWindow: { history: 'rows', columns: network, key: [] },
  keyed: { history: 'rows', columns: network, key: [] },
  snapshot: { history: 'observations', columns: { ...network, ...subject, ...observation }, key: ['observation_id'] },
  scan: { history: 'versions', columns: { ...network, ...version, ...present }, key: ['observed_at'] },
  series: { history: 'versions', columns: { ...network, ...version }, key: ['observed_at'] },
}

/** The table that a list fills. */
export function listTable(list: ListText): Table {
  const { name, comment, key, sort = key, partitions = [], columns } = list.table
  const added = walkColumns[list.walk.kind]
  const filters = filterParameters(list).map((parameter) => [parameter, columnOf(list, parameter)] as const)
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

type Declare = {
  (comment: string): DeclaredColumn
  (comment: string, options: { readonly nullable: true }): DeclaredColumn
}

/** The types of columns and how their values are read, by the names that lists give them. Times have a unit. */
const types: Readonly<Record<ColumnText['type'], readonly [Declare, ReaderName | null]>> = {
  text: [t.text, 'text'],
  id: [t.cb58, 'id'],
  'node-id': [t.address, 'nodeId'],
  hash: [t.hex, 'hash'],
  address: [t.address, 'address'],
  owner: [t.address, 'owner'],
  hex: [t.hex, 'hex'],
  digits: [t.hex, 'digits'],
  int64: [t.int64, 'whole'],
  u64: [t.u64, 'u64'],
  decimal: [t.decimal38, 'decimal'],
  double: [t.double, 'double'],
  boolean: [t.boolean, 'flag'],
  json: [t.text, 'json'],
  time: [t.timestamp, null],
}

function declared(text: ColumnText): DeclaredColumn {
  const { comment, nullable, path, answer } = text
  const [declare, reader] = types[text.type]
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
function columnOf({ table: { columns } }: ListText, parameter: string): string | null {
  return Object.entries(columns).find(([, column]) => column.parameter === parameter)?.[0] ?? null
}

function partitionKey(text: string): PartitionKey {
  const [, unit, column = ''] = /^(?:(month|day) of )?(.*)$/.exec(text) ?? []
  return unit === 'month' ? month(column) : unit === 'day' ? day(column) : identity(column)
}
