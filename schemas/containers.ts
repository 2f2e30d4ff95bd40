import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const containers = table({
  name: 'containers',
  comment: 'Raw containers from the Index API. Their checksum was verified and removed. Written with --raw.',
  key: ['network', 'chain', 'container_index'],
  sortBy: ['container_index'],
  partitionBy: [identity('network'), identity('chain')],
  rowGroup: 'raw',
  columns: {
    ...networkColumn,
    chain: t.text('P, X, C, X/tx, X/vtx or a blockchain id.'),
    container_index: t.int64(
      'Position in a complete index of the chain, from 0. For a block this is height − 1, also when the index of the node starts at a later block.',
    ),
    container_id: t.cb58('Id of the container, recomputed from its bytes.'),
    accepted_at: t.timestamp(
      'When the indexing node accepted the container (UTC, microseconds). This is not the block time.',
      {
        nullable: true,
      },
    ),
    accepted_at_ns: t.int64('The same as Unix time in nanoseconds.', { nullable: true }),
    bytes: t.blob('Bytes of the container.'),
  },
})
export type ContainerRow = RowOf<typeof containers>
