import type { EvmLog } from '../../../schemas/evm-logs.ts'
import { address, bytes, type Fields, hashes, wrongField } from './fields.ts'
import type { EvmTransactionPlace } from './place.ts'

export function logRow(log: Fields, place: EvmTransactionPlace, logIndex: number): EvmLog {
  const topics = hashes(log, 'topics')
  if (topics.length > 4) throw wrongField(log, 'topics', 'has more than four texts', topics)
  return {
    network: place.network,
    chain_id: place.chain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    transaction_index: place.transaction_index,
    transaction_hash: place.transaction_hash,
    log_index: logIndex,
    address: address(log, 'address'),
    topic0: topics[0] ?? null,
    topic1: topics[1] ?? null,
    topic2: topics[2] ?? null,
    topic3: topics[3] ?? null,
    data: dataOf(log),
  }
}

const noData: Uint8Array = Buffer.alloc(0)

/** Some nodes write data without bytes as null or as an empty text. */
function dataOf(log: Fields): Uint8Array {
  const { data } = log.object
  return data === null || data === '' ? noData : bytes(log, 'data')
}
