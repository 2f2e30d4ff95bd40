import type { Table } from '../../define/index.ts'
import { computedColumns } from './computed-values.ts'

/** A table, with what of it the other source says too. */
type Side = {
  readonly table: Table
  /** Values that name a row, as SQL, in the same order on both sides. */
  readonly key: readonly string[]
  /** Which rows; all when absent. `$chain` stands for: it is the C chain, by its EVM chain id or its blockchain id. */
  readonly where?: string
}

/** The same things from two sources. */
export type SourcePair = {
  /** What was decoded or read from a chain. */
  readonly own: Side
  /** What another interface says. */
  readonly other: Side
  /** Values that both say, by name, as SQL of either side. One that a side leaves out is not held against it. */
  readonly values: Readonly<Record<string, readonly [own: string, other: string]>>
  /** The column of the other that says at which height a row is: where the first covers that, it must have the row. Absent: unknown. */
  readonly place?: 'height' | 'block_number'
  /** Whether both are covered by heights, so that rows of the first must be in the other, too. */
  readonly bothCovered?: true
}

export const network = 'network'
export const pairOf = (sql: string): readonly [string, string] => [sql, sql]
export const same = (...names: readonly string[]): Record<string, readonly [string, string]> =>
  Object.fromEntries(names.map((name) => [name, [name, name] as const]))
/** What two tables have under the same names, but for what a node computes. */
export const shared = (a: Table, b: Table): Record<string, readonly [string, string]> =>
  same(
    ...Object.keys(a.columns).filter(
      (name) =>
        name in b.columns && !a.key.includes(name) && !b.key.includes(name) && !computedColumns(b).includes(name),
    ),
  )
/** Services may state whole seconds where a block has milliseconds. */
export const seconds: Record<string, readonly [string, string]> = { block_time: pairOf('epoch(block_time)::BIGINT') }
/** Lists of owners, parents and the like have their own order on each side. */
export const sorted = (column: string) => `list_sort(${column})`
export const owners = { ...same('threshold', 'locktime'), addresses: pairOf(sorted('addresses')) }
export const utxo = same('asset_id', 'amount', 'output_index')
/** Before Banff the time of a block on the P chain may be its wrapper's. */
export const ownTime = "CASE WHEN block_type LIKE 'Banff%' THEN epoch(block_time)::BIGINT END"
export const stakes =
  "action IN ('add', 'delegate') AND tx_type NOT IN ('RegisterL1ValidatorTx', 'ConvertSubnetToL1Tx')"
