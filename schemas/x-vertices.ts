import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const xVertices = table({
  name: 'x_vertices',
  comment: 'One row per vertex of the X chain before it was made linear (legacy index; its order is that of the node).',
  key: ['network', 'blockchain_id', 'vertex_id'],
  sortBy: ['container_index'],
  partitionBy: [identity('network'), identity('blockchain_id')],
  rowGroup: 'nested',
  columns: {
    ...chainColumns,
    vertex_id: t.cb58('Id of the vertex: sha256 of its bytes.'),
    height: t.int64('Height in the graph; several vertices share one.'),
    parent_ids: t.list(t.cb58('Id.'), 'Parent vertices.'),
    tx_ids: t.list(t.cb58('Id.'), 'Transactions of the vertex; none in the stop vertex.'),
    vertex_type: t.text('Vertex, or StopVertex: the last one, after which the chain is linear.'),
    accepted_at: t.timestamp('When the indexing node accepted it (UTC): not a time of the chain.', nullable),
    accepted_at_ns: t.int64('The same in nanoseconds since 1970.', nullable),
    container_index: t.int64('Position in the index of the node.'),
    byte_length: t.int64('Length of the vertex in bytes.'),
  },
})
export type XVertex = RowOf<typeof xVertices>
