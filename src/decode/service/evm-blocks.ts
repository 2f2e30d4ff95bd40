import type { RestEvmBlock, restEvmBlocks } from '../../../schemas/rest-evm-blocks.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import {
  answerObject,
  count,
  finish,
  hex,
  nextPageToken,
  objects,
  optionalCount,
  optionalWhole,
  type Reading,
} from './fields.ts'
import { newestOf } from './list-page.ts'
import { blockTime, checkChain, type EvmPlace, optionalDecimal38 } from './token-fields.ts'

/** A page of the blocks of an EVM chain, newest first (specification 2.6 and 4.8). Answers of before 2025 do not name the chain. */
export function decodeEvmBlocks(place: EvmPlace) {
  return (answer: unknown, context: ReadingContext): Page<{ blocks: typeof restEvmBlocks }> => {
    const at = answerObject(answer, 'answer', context)
    const blocks = objects(at, 'blocks', (block) => blockRow(block, place))
    const next = nextPageToken(at)
    finish(at)
    const items = blocks.map(({ block_number, block_time }) => ({
      key: String(block_number),
      time: Number(block_time / 1_000_000n),
    }))
    return { rows: { blocks }, items, next }
  }
}

/** The newest block of an answer of the same route: how far the service is. Null: it has no block yet. */
export function decodeEvmHead(place: Pick<EvmPlace, 'chainId'>) {
  return (answer: unknown): number | null =>
    newestOf(answer, 'blocks', null, (at) => {
      checkChain(at, place)
      return count(at, 'blockNumber')
    })
}

function blockRow(at: Reading, place: EvmPlace): RestEvmBlock {
  checkChain(at, place)
  return {
    network: place.network,
    chain_id: place.chainId,
    block_number: count(at, 'blockNumber'),
    block_time: blockTime(count(at, 'blockTimestamp'), optionalCount(at, 'blockTimestampMilliseconds')),
    block_hash: hex(at, 'blockHash'),
    parent_hash: hex(at, 'parentHash'),
    transaction_count: count(at, 'txCount'),
    cumulative_transactions: optionalCount(at, 'cumulativeTransactions'),
    gas_used: optionalWhole(at, 'gasUsed'),
    gas_limit: optionalWhole(at, 'gasLimit'),
    base_fee_per_gas: optionalDecimal38(optionalWhole(at, 'baseFee')),
    gas_cost: optionalDecimal38(optionalWhole(at, 'gasCost')),
    fees_spent: optionalDecimal38(optionalWhole(at, 'feesSpent')),
    min_delay_excess: optionalWhole(at, 'blockMinDelayExcess'),
  }
}
