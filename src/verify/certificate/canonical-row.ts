import { pBlockTimeColumn, wrapperColumns } from '../../../schemas/shared/block-columns.ts'
import type { Columns, ColumnType, Table } from '../../define/index.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import { computedColumns } from '../lake/computed-values.ts'

/** Columns that describe the node or the run, not the chain. */
const local = new Set([
  ...Object.keys(wrapperColumns),
  'accepted_at',
  'accepted_at_ns',
  'container_index',
  'observation_id',
  'observed_at',
  'version_hash',
])

/** The columns of a table that are equal in any two lakes of the same chains. */
function sharedColumns(table: Table): string[] {
  return Object.entries(table.columns).flatMap(([name, column]) => {
    // Before Banff, the time of a P-Chain block may come from its wrapper, which a node does not return by RPC.
    const isLocal = local.has(name) || column === pBlockTimeColumn.block_time || computedColumns(table).includes(name)
    return isLocal && !(table.key.includes(name) && name === 'container_index') ? [] : [name]
  })
}

/**
 * SQL that turns a row into one text. Columns are ordered by name, so that their position does not matter. Numbers are digits, times are
 * microseconds since 1970 UTC, bytes are hexadecimal. Separators and null are control characters that no text of a chain contains.
 */
export function canonicalRow(table: Table, names: readonly string[] = sharedColumns(table)): string {
  const columns: Columns = table.columns
  const values = [...names].sort().map((name) => canonical(placeFree(table, name), columns[name]!.type, 0))
  return `concat_ws(chr(31), ${values.join(', ')})`
}

/** Indexes of legacy transactions and vertices differ between nodes and are left out. */
function placeFree({ name: table }: Table, name: string): string {
  return table === 'containers' && name === 'container_index'
    ? "CASE WHEN chain NOT LIKE '%/%' THEN container_index END"
    : sqlName(name)
}

function canonical(value: string, type: ColumnType, depth: number): string {
  return `coalesce(${textOf(value, type, depth)}, chr(1))`
}

function textOf(value: string, type: ColumnType, depth: number): string {
  switch (type.kind) {
    case 'text':
      return value
    case 'timestamp':
      return `epoch_us(${value})::VARCHAR`
    case 'blob':
      return `hex(${value})`
    case 'list': {
      const item = `x${depth}`
      const items = `list_transform(${value}, lambda ${item}: ${canonical(item, type.item.type, depth + 1)})`
      return `chr(2) || array_to_string(${items}, chr(${30 - depth}))`
    }
    case 'struct': {
      const fields = Object.entries(type.fields).sort(([a], [b]) => (a < b ? -1 : 1))
      const texts = fields.map(([name, field]) => canonical(`${value}.${sqlName(name)}`, field.type, depth + 1))
      return `CASE WHEN ${value} IS NULL THEN NULL ELSE concat_ws(chr(${30 - depth}), ${texts.join(', ')}) END`
    }
    default:
      return `${value}::VARCHAR`
  }
}
