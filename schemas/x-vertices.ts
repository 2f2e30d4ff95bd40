import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const xVertices = table({
  name: 'x_vertices',
  comment:
    'One row per vertex of the X-Chain from before Cortina, when it became linear (legacy index X/vtx; the order is that of the node).',
  key: ['network', 'blockchain_id', 'vertex_id'],
  sortBy: ['container_index'],
  partitionBy: [identity('network'), identity('blockchain_id')],
  rowGroup: 'nested',
  columns: {
    ...chainColumns,
    vertex_id: t.cb58('Id of the vertex: sha256 of its bytes.'),
    height: t.int64('Height in the graph; several vertices can have the same height.'),
    parent_ids: t.list(t.cb58('Id.'), 'Ids of the parent vertices.'),
    tx_ids: t.list(t.cb58('Id.'), 'Transactions of the vertex; empty for the stop vertex.'),
    vertex_type: t.text('Vertex, or StopVertex: the last one, after which the chain is linear.'),
    accepted_at: t.timestamp(
      'When the indexing node accepted the vertex (UTC). This is not a time of the chain.',
      nullable,
    ),
    accepted_at_ns: t.int64('The same as Unix time in nanoseconds.', nullable),
    container_index: t.int64('Position in the index of the node.'),
    byte_length: t.int64('Length of the vertex in bytes.'),
  },
})
export type XVertex = RowOf<typeof xVertices>
