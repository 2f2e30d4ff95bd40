import type { Table } from '../../define/index.ts'
import { computedColumns } from './computed-values.ts'

/** A table of a pair: its rows, and how they are matched with the other table. */
type Side = {
  readonly table: Table
  /** SQL values that identify a row, in the same order on both sides. */
  readonly key: readonly string[]
  /** An SQL condition; by default, all rows are compared. `$chain` is replaced by a condition that selects the C-Chain. */
  readonly where?: string
}

/** Two tables that hold the same facts from two sources. */
export type SourcePair = {
  /** Rows that were decoded from the chain, or read from its node. */
  readonly own: Side
  /** Rows from another interface. */
  readonly other: Side
  /** The values to compare, by name, as SQL of each side. A null on one side is not a difference. */
  readonly values: Readonly<Record<string, readonly [own: string, other: string]>>
  /** The height column of the other table. If `own` covers that height, it must have the row. Absent if `other` has no height. */
  readonly place?: 'height' | 'block_number'
  /** Whether both tables are covered by height, so that rows of `own` must be in `other` too. */
  readonly bothCovered?: true
}

export const network = 'network'
export const pairOf = (sql: string): readonly [string, string] => [sql, sql]
export const same = (...names: readonly string[]): Record<string, readonly [string, string]> =>
  Object.fromEntries(names.map((name) => [name, [name, name] as const]))
/** The columns that two tables share by name, except keys and values that a node computes. */
export const shared = (a: Table, b: Table): Record<string, readonly [string, string]> =>
  same(
    ...Object.keys(a.columns).filter(
      (name) =>
        name in b.columns && !a.key.includes(name) && !b.key.includes(name) && !computedColumns(b).includes(name),
    ),
  )
/** Whole seconds of a time. A cast of `epoch()` to an integer would round half a second up. */
export const secondsOf = (time: string): string => `epoch_us(${time}) // 1000000`
/** Services cut off the milliseconds that a block has. */
export const seconds: Record<string, readonly [string, string]> = { block_time: pairOf(secondsOf('block_time')) }
/** The two sides may order lists of owners or parents differently. */
export const sorted = (column: string) => `list_sort(${column})`
export const owners = { ...same('threshold', 'locktime'), addresses: pairOf(sorted('addresses')) }
export const utxo = same('asset_id', 'amount', 'output_index')
/** Before Banff, the time of a P-Chain block may come from its wrapper. */
export const ownTime = `CASE WHEN block_type LIKE 'Banff%' THEN ${secondsOf('block_time')} END`
export const stakes =
  "action IN ('add', 'delegate') AND tx_type NOT IN ('RegisterL1ValidatorTx', 'ConvertSubnetToL1Tx')"
