import { identity, month, t } from '../src/define/index.ts'
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
  unproven: {
    never: ['chain_name'],
  },
  columns: {
    ...chainColumns,
    vertex_hash: t.cb58('Id of the vertex.').at('vertexHash').partlyUnproven(),
    height: t
      .int64('Height in the graph; several vertices can have the same height.')
      .at('vertexHeight')
      .lasting()
      .partlyUnproven(),
    vertex_index: t.int64('Index of the vertex in the service.').at('vertexIndex').lasting().unproven(),
    block_time: t.timestamp('Time of the vertex (UTC).').at('vertexTimestamp').lasting().unproven(),
    parent_hashes: t.list(t.cb58('Id.'), 'Ids of the parent vertices.').at('parentHashes').partlyUnproven(),
    tx_count: t.int64('Number of transactions.').at('txCount').lasting().partlyUnproven(),
    tx_ids: t.list(t.cb58('Id.'), 'Ids of the transactions.').at('transactions').partlyUnproven(),
    byte_length: t.int64('Length in bytes.').at('vertexSizeBytes').partlyUnproven(),
    ...chainNameColumn,
  },
})
