import { cBlocks } from '../../../schemas/c-blocks.ts'
import { cTransactions } from '../../../schemas/c-transactions.ts'
import { containers } from '../../../schemas/containers.ts'
import { headerColumns, signedColumns } from '../../../schemas/shared/hashed-columns.ts'
import type { Table } from '../../define/index.ts'
import type { Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'
import type { Unverifiable } from '../lake/finding.ts'
import { type LakeRows, tablesWithFiles } from '../lake/lake-rows.ts'

/** These columns cannot be compared when the row of the subject in `observations` is missing. */
const observed = ['subject', 'observation_id', 'observed_at']
const now = 'nothing else in the lake holds these values: a node or service reported them at the time.'
const lost =
  'a repair removed rows that no source can provide again: rows of other tables that belong to them are not compared.'
const withoutRaw =
  'the lake has no raw containers for it (run with --raw to store them); verify --node compares a sample with a node.'

/** Columns that counts, hashes and neighbouring blocks prove even without raw containers. */
const linked = new Set([
  ...['network', 'blockchain_id', 'height', 'block_number', 'block_id', 'parent_id', 'block_time', 'tx_id', 'utxo_id'],
  ...['tx_count', 'transaction_count', 'atomic_transaction_count', 'input_count', 'output_count', 'operation_count'],
])
/** Columns of one table that the hash in the row proves. */
const hashed = new Map<Table, ReadonlySet<string>>([
  [cBlocks, new Set(headerColumns)],
  [cTransactions, new Set(signedColumns)],
])

/** The parts of a lake that cannot be verified, with the reasons. */
export function unverifiableOf(rows: LakeRows): Unverifiable[] {
  const there = tablesWithFiles(rows).filter(rows.looksAt)
  return [...there.flatMap((table) => [...unsaidOf(table), ...undecodedOf(rows, table)]), ...lostOf(rows)]
}

/** Tables that lost rows for good by a repair, while rows that belong to them remain. */
function lostOf({ inventory: { declared, withLosses }, looksAt }: LakeRows): Unverifiable[] {
  return declared
    .filter((table) => withLosses.has(table.name) && looksAt(table))
    .map(({ name }) => ({ table: name, reason: lost }))
}

function unsaidOf({ name, history, unproven: { never = [], partly = [] } }: Table): Unverifiable[] {
  const sometimes = history === 'observations' ? [...partly, ...observed] : partly
  if (never.length + sometimes.length === 0) return []
  return [
    {
      table: name,
      reason: now,
      ...(never.length === 0 ? {} : { columns: never }),
      ...(sometimes.length === 0 ? {} : { partly: [...new Set(sometimes)] }),
    },
  ]
}

/** Streams of containers with raw containers missing. */
function undecodedOf({ inventory: { coverage } }: LakeRows, table: Table): Unverifiable[] {
  if (table === containers || !/^[pxc]_/.test(table.name)) return []
  const slices = (stream: string, name: string): Slice[] =>
    coverage.flatMap((row) => (row.stream === stream && row.table === name ? [row.slice] : []))
  const streams = [...new Set(coverage.flatMap((row) => (row.table === table.name ? [row.stream] : [])))]
  const isProven = (name: string) => linked.has(name) || hashed.get(table)?.has(name) === true
  return streams
    .filter((stream) => subtract(slices(stream, table.name), slices(stream, containers.name)).length > 0)
    .map((stream) => ({
      table: table.name,
      stream,
      partly: Object.keys(table.columns).filter((name) => !isProven(name)),
      reason: withoutRaw,
    }))
}
