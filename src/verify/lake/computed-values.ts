import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import type { Table } from '../../define/index.ts'

/**
 * Columns with values that a node computes when it is asked, and that neither the block nor its hash holds. Another version of a node
 * computes other ones: from Helicon on it states the total difficulty of old blocks as 0. They prove nothing about a row.
 */
const computed: readonly { readonly table: Table; readonly columns: readonly string[] }[] = [
  { table: evmBlocks, columns: ['total_difficulty', 'size'] },
]

export function computedColumns({ name }: Pick<Table, 'name'>): readonly string[] {
  return computed.find(({ table }) => table.name === name)?.columns ?? []
}
