import type { Columns, Table } from '../../src/define/index.ts'

/** The messages between chains: the addresses of a row are on two chains. */
const withoutOneChain = ['rest_icm_messages']

/** Where the addresses of a table are, and what its rows say about their place. */
type AddressTable = {
  readonly name: string
  /** Columns with one address. */
  readonly single: readonly string[]
  /** Columns with a list of addresses. */
  readonly lists: readonly string[]
  readonly place: string
}

/**
 * The query of the view `address_activity`: it counts every row and address that occurs in it, each pair once. Each column with one address
 * is read separately, so that DuckDB can skip the files and row groups without a certain address.
 */
export function addressActivityQuery(tables: readonly Table[]): string {
  const rows = addressTables(tables).flatMap((table) => [...singleQueries(table), ...listQueries(table)])
  return `SELECT
  network,
  chain_id,
  address,
  table_name,
  count(*) AS row_count,
  min(row_time) AS first_time,
  max(row_time) AS last_time,
  min(height) AS first_height,
  max(height) AS last_height
FROM (
${rows.join('\nUNION ALL\n')}
)
GROUP BY ALL`
}

function addressTables(tables: readonly Table[]): AddressTable[] {
  return tables
    .filter(({ name }) => !withoutOneChain.includes(name))
    .map((table) => ({
      name: table.name,
      // `trace_address` is the path to a call.
      single: namesOf(table, 'text', /^(address|contract|owner|miner)$|(?<!^trace)_address$/),
      lists: namesOf(table, 'list', /(^|_)addresses$/),
      place: placeOf(table),
    }))
    .filter(({ single, lists }) => single.length + lists.length > 0)
}

function namesOf({ columns }: Table, kind: 'text' | 'list', named: RegExp): string[] {
  return Object.entries(columns as Columns).flatMap(([name, { type }]) =>
    type.kind === kind && named.test(name) ? [name] : [],
  )
}

/** Tables without the id of a chain are about the P-Chain. */
function placeOf({ name, columns }: Table): string {
  const first = (candidates: readonly string[], otherwise: string): string =>
    candidates.find((candidate) => candidate in columns) ?? otherwise
  return [
    'network',
    `${first(['chain_id', 'blockchain_id'], "'11111111111111111111111111111111LpoYY'")} AS chain_id`,
    `'${name}' AS table_name`,
    `${first(['block_time', 'observed_at'], 'NULL::TIMESTAMPTZ')} AS row_time`,
    `${first(['height', 'block_number'], 'NULL::BIGINT')} AS height`,
  ].join(', ')
}

function singleQueries({ name, single, place }: AddressTable): string[] {
  return single.map((column, at) => {
    const conditions = [`${column} IS NOT NULL`, ...single.slice(0, at).map((before) => differ(column, before))]
    return `SELECT ${place}, ${column} AS address FROM ${name} WHERE ${conditions.join(' AND ')}`
  })
}

function listQueries({ name, single, lists, place }: AddressTable): string[] {
  if (lists.length === 0) return []
  const query = `SELECT ${place}, unnest(list_distinct(flatten([${lists.join(', ')}]))) AS address`
  if (single.length === 0) return [`${query} FROM ${name}`]
  const conditions = single.map((before) => differ('address', before)).join(' AND ')
  return [
    `SELECT * EXCLUDE (${single.join(', ')}) FROM (${query}, ${single.join(', ')} FROM ${name}) WHERE ${conditions}`,
  ]
}

function differ(column: string, before: string): string {
  return `(${column} = ${before}) IS NOT TRUE`
}
