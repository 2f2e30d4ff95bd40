import { t } from '../../src/define/index.ts'

const nullable = { nullable: true } as const

/** The first column of every table. */
export const networkColumn = {
  network: t.text('Network: mainnet, fuji, local, else network-<id>.'),
}

/** Time of the block that a row belongs to, on the P chain. */
export const pBlockTimeColumn = {
  block_time: t.timestamp(
    "Time of the block (UTC): its own from Banff on; before it that of an AdvanceTimeTx in the block, else the wrapper's, else null.",
    { nullable: true },
  ),
}

/** What the proposervm wrapper and the index say of a block; the same in every table of blocks. Null where blocks were read by RPC. */
export const wrapperColumns = {
  container_id: t.cb58(
    'Id of the container in the index: of the proposervm block where there is one; null of a block that was read by RPC.',
    nullable,
  ),
  container_index: t.int64(
    'Position of the container in a complete index of the chain, which is the height − 1, also where the index of the node begins later. Null of a block that was read by RPC.',
    nullable,
  ),
  accepted_at: t.timestamp('When the indexing node accepted the container (UTC, microseconds): not a block time.', {
    nullable: true,
  }),
  accepted_at_ns: t.int64('The same in nanoseconds since 1970.', { nullable: true }),
  wrapper: t.text(
    'Kind of the proposervm wrapper: none, block, option or granite; null of a block that was read by RPC.',
    nullable,
  ),
  wrapper_parent_id: t.cb58('Id of the parent container that the wrapper names; null without a wrapper.', {
    nullable: true,
  }),
  wrapper_time: t.timestamp('Time that the wrapper states (UTC); null for options and without a wrapper.', {
    nullable: true,
  }),
  wrapper_p_height: t.int64('P-chain height that the wrapper states; null for options and without a wrapper.', {
    nullable: true,
  }),
  proposer_node_id: t.address('Node that signed the wrapper, from its certificate; null when unsigned.', {
    nullable: true,
  }),
  epoch_number: t.int64('Number of the epoch (Granite wrappers), else null.', { nullable: true }),
  epoch_start: t.timestamp('Start of the epoch (UTC; Granite wrappers), else null.', { nullable: true }),
  epoch_p_height: t.int64('P-chain height of the epoch (Granite wrappers), else null.', { nullable: true }),
  byte_length: t.int64('Length of the container in bytes; null of a block that was read by RPC.', nullable),
}
