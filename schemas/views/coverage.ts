import { derivedView } from '../../src/define/index.ts'

export const coverage = derivedView({
  name: 'coverage',
  comment:
    'What the lake has read: one row per table of a stream and range without a gap. It distinguishes ranges without rows from ranges that were not read. Empty in views of an earlier snapshot.',
  dependsOn: [],
  columns: {
    network: { type: 'VARCHAR', comment: 'Network: mainnet, fuji, local, network-<id> or evm-<chain id>.' },
    stream: { type: 'VARCHAR', comment: 'Stream that filled the table, such as mainnet/P/block.' },
    table_name: { type: 'VARCHAR', comment: 'Name of the table.' },
    unit: {
      type: 'VARCHAR',
      comment: 'What slice_from and slice_to count: heights, containers, blocks, seconds; records for lists.',
    },
    slice_from: { type: 'BIGINT', comment: 'First coordinate that was read; null for lists.' },
    slice_to: { type: 'BIGINT', comment: 'Coordinate after the last one that was read; null for lists.' },
    row_count: { type: 'BIGINT', comment: 'Number of rows that the stream brought to the table.' },
    committed_at: {
      type: 'TIMESTAMP WITH TIME ZONE',
      comment: 'When a commit last added to the range (UTC); null where the snapshot of that commit has expired.',
    },
  },
})
