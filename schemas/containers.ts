import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const containers = table({
  name: 'containers',
  comment: 'Raw containers as the index API gave them, checksum verified and removed; written with --raw.',
  key: ['network', 'chain', 'container_index'],
  sortBy: ['container_index'],
  partitionBy: [identity('network'), identity('chain')],
  rowGroup: 'raw',
  columns: {
    ...networkColumn,
    chain: t.text('P, X, C, X/tx, X/vtx or a blockchain id.'),
    container_index: t.int64(
      'Position in a complete index of the chain; the first is 0. Of a block its height − 1, also where the index of the node begins later.',
    ),
    container_id: t.cb58('Id of the container, derived again from its bytes.'),
    accepted_at: t.timestamp('When the indexing node accepted it (UTC, microseconds): not a block time.', {
      nullable: true,
    }),
    accepted_at_ns: t.int64('The same in nanoseconds since 1970.', { nullable: true }),
    bytes: t.blob('The container.'),
  },
})
export type ContainerRow = RowOf<typeof containers>
