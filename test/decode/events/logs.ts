import type { EvmLog } from '../../../schemas/evm-blocks.ts'

/** A log with these topics and this data, both as hex text. */
export function logOf(topics: readonly string[], data: string): EvmLog {
  return {
    network: 'local',
    chain_id: '43112',
    block_number: 7,
    block_time: 1_700_000_000_000_000n,
    transaction_index: 2,
    transaction_hash: `0x${'01'.repeat(32)}`,
    log_index: 3,
    address: `0x${'02'.repeat(20)}`,
    topic0: topics[0] ?? null,
    topic1: topics[1] ?? null,
    topic2: topics[2] ?? null,
    topic3: topics[3] ?? null,
    data: Buffer.from(data.slice(2), 'hex'),
  }
}
