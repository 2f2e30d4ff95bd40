import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import type { Table } from '../../define/index.ts'

/**
 * Columns with values that a node computes for each request. Neither the block nor its hash holds them, so they prove nothing about a row.
 */
const computed: readonly { readonly table: Table; readonly columns: readonly string[] }[] = [
  { table: evmBlocks, columns: ['size'] },
]

export function computedColumns({ name }: Pick<Table, 'name'>): readonly string[] {
  return computed.find(({ table }) => table.name === name)?.columns ?? []
}
