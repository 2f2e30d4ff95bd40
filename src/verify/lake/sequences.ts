import { cBlocks } from '../../../schemas/c-blocks.ts'
import { containers } from '../../../schemas/containers.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { pBlocks } from '../../../schemas/p-blocks.ts'
import { xBlocks } from '../../../schemas/x-blocks.ts'
import { xTransactions } from '../../../schemas/x-transactions.ts'
import { xVertices } from '../../../schemas/x-vertices.ts'
import type { CoverageRow, Inventory, StreamFacts } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { chainId } from './row-place.ts'

/** A table with one row at each coordinate that a stream covers, or at each multiple of its step. */
export type Sequence = {
  readonly table: Table
  /** The kinds of its streams, and which chain they are of: P, C, or X and others of its kind; null: any. */
  readonly kinds: readonly string[]
  readonly of: 'P' | 'X' | 'C' | null
  /** The columns that select the rows of a chain: by its id, or by its name in streams and raw containers. */
  readonly chain: readonly { readonly column: string; readonly value: keyof ChainNames }[]
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

/** The names of the chain of a stream. */
type ChainNames = {
  readonly name: string
  readonly blockchainId: string
  /** In raw containers: the indexes from before the X-Chain was linear have their own. */
  readonly raw: string
}

export function chainNames(inventory: Pick<Inventory, 'networks'>, origin: StreamFacts): ChainNames {
  const { network, chain: name = '', kind, path } = origin
  return { name, blockchainId: chainId(inventory, network, name), raw: kind === 'block' ? name : path }
}

/** The sequence that a stream has in a table. */
export function sequenceOf({ table, origin }: Pick<CoverageRow, 'table' | 'origin'>): Sequence | undefined {
  const { kind = '', chain } = origin
  const own = chain === 'P' || chain === 'C' ? chain : 'X'
  return sequences.find(
    (each) => each.table.name === table && each.kinds.includes(kind) && (each.of === null || each.of === own),
  )
}

/** All tables with consecutive rows. */
export const sequences: readonly Sequence[] = [
  {
    table: pBlocks,
    kinds: ['block'],
    of: 'P',
    chain: [],
    place: 'height',
    link: { id: 'block_id', parent: 'parent_id' },
  },
  {
    table: xBlocks,
    kinds: ['block'],
    of: 'X',
    chain: [{ column: 'blockchain_id', value: 'blockchainId' }],
    place: 'height',
    link: { id: 'block_id', parent: 'parent_id' },
  },
  {
    table: cBlocks,
    kinds: ['block'],
    of: 'C',
    chain: [{ column: 'blockchain_id', value: 'blockchainId' }],
    place: 'block_number',
    link: { id: 'block_hash', parent: 'parent_hash' },
  },
  {
    table: xTransactions,
    kinds: ['tx'],
    of: 'X',
    // Transactions of blocks have the index of the block's container.
    only: "timestamp_source = 'accepted'",
    chain: [{ column: 'blockchain_id', value: 'blockchainId' }],
    place: 'container_index',
  },
  {
    table: xVertices,
    kinds: ['vtx'],
    of: 'X',
    chain: [{ column: 'blockchain_id', value: 'blockchainId' }],
    place: 'container_index',
  },
  {
    table: containers,
    kinds: ['block', 'tx', 'vtx'],
    of: null,
    chain: [{ column: 'chain', value: 'raw' }],
    place: 'container_index',
    // The index does not count the genesis block, which has height 0.
    at: "(container_index + CASE WHEN chain LIKE '%/%' THEN 0 ELSE 1 END)",
  },
  {
    table: evmBlocks,
    kinds: ['evm-blocks'],
    of: null,
    chain: [{ column: 'chain_id', value: 'name' }],
    place: 'block_number',
    mayLeaveOut: true,
    link: { id: 'block_hash', parent: 'parent_hash' },
  },
]
