import { t } from '../../src/define/index.ts'

const nullable = { nullable: true } as const

/** The first column of every table. */
export const networkColumn = {
  network: t.text('Network: mainnet, fuji, local or network-<id>.'),
}

/** Time of the block of a row of the P-Chain. */
export const pBlockTimeColumn = {
  block_time: t.timestamp(
    'Time of the block (UTC). Since Banff the block contains it; before Banff it is that of an AdvanceTimeTx in the block, otherwise that of the proposervm wrapper, otherwise null.',
    { nullable: true },
  ),
}

/** Fields of the proposervm wrapper and of the index; the same in every table of blocks. Null when the blocks were read by RPC. */
export const wrapperColumns = {
  container_id: t.cb58(
    'Id of the container in the index: that of the proposervm block if there is one. Null when the block was read by RPC.',
    nullable,
  ),
  container_index: t.int64(
    'Position of the container in a complete index of the chain, which is height − 1, also when the index of the node starts at a later block. Null when the block was read by RPC.',
    nullable,
  ),
  accepted_at: t.timestamp(
    'When the indexing node accepted the container (UTC, microseconds). This is not the block time.',
    {
      nullable: true,
    },
  ),
  accepted_at_ns: t.int64('The same as Unix time in nanoseconds.', { nullable: true }),
  wrapper: t.text(
    'Kind of the proposervm wrapper: none, block, option or granite. Null when the block was read by RPC.',
    nullable,
  ),
  wrapper_parent_id: t.cb58('Id of the parent container in the wrapper; null without a wrapper.', {
    nullable: true,
  }),
  wrapper_time: t.timestamp('Time in the wrapper (UTC); null for options and without a wrapper.', {
    nullable: true,
  }),
  wrapper_p_height: t.int64('P-Chain height in the wrapper; null for options and without a wrapper.', {
    nullable: true,
  }),
  proposer_node_id: t.address('Node that signed the wrapper, derived from its certificate; null when unsigned.', {
    nullable: true,
  }),
  epoch_number: t.int64('Number of the epoch; null without a Granite wrapper.', { nullable: true }),
  epoch_start: t.timestamp('Start of the epoch (UTC); null without a Granite wrapper.', { nullable: true }),
  epoch_p_height: t.int64('P-Chain height of the epoch; null without a Granite wrapper.', { nullable: true }),
  byte_length: t.int64('Length of the container in bytes. Null when the block was read by RPC.', nullable),
}
