import { cBlocks } from '../../../schemas/c-blocks.ts'
import { containers } from '../../../schemas/containers.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { pBlocks } from '../../../schemas/p-blocks.ts'
import { xBlocks } from '../../../schemas/x-blocks.ts'
import { xTransactions } from '../../../schemas/x-transactions.ts'
import { xVertices } from '../../../schemas/x-vertices.ts'
import type { Table } from '../../define/index.ts'

/** A table with one row at each coordinate that a stream covers, or at each multiple of its step. */
export type Sequence = {
  readonly table: Table
  /** Matches the path of a stream; the first group is the name of the chain. */
  readonly path: RegExp
  /** The columns that select the rows of a chain: by its id, or by its name in streams and raw containers. */
  readonly chain: readonly { readonly column: string; readonly value: 'blockchainId' | 'name' | 'path' }[]
  /** The column that counts up. */
  readonly place: string
  /** SQL: the coordinate of a row, at most one above its place. Default: its place. */
  readonly at?: string
  /** An SQL condition that selects the rows of the sequence, if the table holds other rows too. */
  readonly only?: string
  /** Whether the chain may leave out numbers (null rounds): the next block then names the last one before as its parent. */
  readonly mayLeaveOut?: true
  /** The columns of the id and the parent id of blocks. */
  readonly link?: { readonly id: string; readonly parent: string }
}

/** All tables with consecutive rows. */
export const sequences: readonly Sequence[] = [
  {
    table: pBlocks,
    path: /^(P)\/block$/,
    chain: [],
    place: 'height',
    link: { id: 'block_id', parent: 'parent_id' },
  },
  {
    table: xBlocks,
    path: /^(?!P\/|C\/)([A-Za-z0-9]+)\/block$/,
    chain: [{ column: 'blockchain_id', value: 'blockchainId' }],
    place: 'height',
    link: { id: 'block_id', parent: 'parent_id' },
  },
  {
    table: cBlocks,
    path: /^(C)\/block$/,
    chain: [{ column: 'blockchain_id', value: 'blockchainId' }],
    place: 'block_number',
    link: { id: 'block_hash', parent: 'parent_hash' },
  },
  {
    table: xTransactions,
    path: /^([A-Za-z0-9]+)\/tx$/,
    // Transactions of blocks have the index of the block's container.
    only: "timestamp_source = 'accepted'",
    chain: [{ column: 'blockchain_id', value: 'blockchainId' }],
    place: 'container_index',
  },
  {
    table: xVertices,
    path: /^([A-Za-z0-9]+)\/vtx$/,
    chain: [{ column: 'blockchain_id', value: 'blockchainId' }],
    place: 'container_index',
  },
  {
    table: containers,
    path: /^([A-Za-z0-9]+)\/(?:block|tx|vtx)$/,
    chain: [{ column: 'chain', value: 'path' }],
    place: 'container_index',
    // The index does not count the genesis block, which has height 0.
    at: "(container_index + CASE WHEN chain LIKE '%/%' THEN 0 ELSE 1 END)",
  },
  {
    table: evmBlocks,
    path: /^evm-blocks\/([^/?]+)$/,
    chain: [{ column: 'chain_id', value: 'name' }],
    place: 'block_number',
    mayLeaveOut: true,
    link: { id: 'block_hash', parent: 'parent_hash' },
  },
]
