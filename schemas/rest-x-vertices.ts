import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { chainNameColumn } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

export const restXVertices = table({
  name: 'rest_x_vertices',
  comment: 'One row per vertex of the X-Chain from before Cortina, when it became linear, with its true time.',
  key: ['network', 'blockchain_id', 'vertex_hash'],
  sortBy: ['height', 'vertex_hash'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  lasting: ['height', 'vertex_index', 'block_time', 'tx_count'],
  unproven: {
    never: ['vertex_index', 'block_time', 'chain_name'],
    partly: ['vertex_hash', 'height', 'parent_hashes', 'tx_count', 'tx_ids', 'byte_length'],
  },
  columns: {
    ...chainColumns,
    vertex_hash: t.cb58('Id of the vertex.').at('vertexHash'),
    height: t.int64('Height in the graph; several vertices can have the same height.').at('vertexHeight'),
    vertex_index: t.int64('Index of the vertex in the service.').at('vertexIndex'),
    block_time: t.timestamp('Time of the vertex (UTC).').at('vertexTimestamp'),
    parent_hashes: t.list(t.cb58('Id.'), 'Ids of the parent vertices.').at('parentHashes'),
    tx_count: t.int64('Number of transactions.').at('txCount'),
    tx_ids: t.list(t.cb58('Id.'), 'Ids of the transactions.').at('transactions'),
    byte_length: t.int64('Length in bytes.').at('vertexSizeBytes'),
    ...chainNameColumn,
  },
})
export type RestXVertex = RowOf<typeof restXVertices>
