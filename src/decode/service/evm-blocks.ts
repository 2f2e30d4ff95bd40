import type { RestEvmBlock, restEvmBlocks } from '../../../schemas/rest-evm-blocks.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, nextPageToken, objects, type Reading } from '../json/fields.ts'
import { count, optionalCount, optionalDigits, optionalInt64, optionalU64 } from '../json/number-fields.ts'
import { hash } from '../json/text-fields.ts'
import { blockTime, checkChain, type EvmPlace, optionalDecimal38 } from '../json/token-fields.ts'
import { newestOf } from './list-page.ts'

/** Reads a page of the blocks of an EVM chain, newest first (specification 2.6 and 4.8). Answers from before 2025 do not name the chain. */
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

/** Reads the number of the newest block from the same route: the head of the service. Null if the service has no block yet. */
export function decodeEvmHead(place: Pick<EvmPlace, 'chainId'>) {
  return (answer: unknown): number | null =>
    newestOf(answer, 'blocks', null, (at) => {
      checkChain(at, place)
      return count(at, 'blockNumber')
    })
}

function blockRow(at: Reading, place: EvmPlace): RestEvmBlock {
  checkChain(at, place)
  const baseFee = optionalDigits(at, 'baseFee')
  const gasCost = optionalDigits(at, 'gasCost')
  const feesSpent = optionalDigits(at, 'feesSpent')
  return {
    network: place.network,
    chain_id: place.chainId,
    block_number: count(at, 'blockNumber'),
    block_time: blockTime(at),
    block_hash: hash(at, 'blockHash'),
    parent_hash: hash(at, 'parentHash'),
    transaction_count: count(at, 'txCount'),
    cumulative_transaction_count: optionalCount(at, 'cumulativeTransactions'),
    gas_used: optionalInt64(at, 'gasUsed'),
    gas_limit: optionalU64(at, 'gasLimit'),
    base_fee_per_gas: optionalDecimal38(baseFee),
    base_fee_per_gas_raw: baseFee,
    block_gas_cost: optionalDecimal38(gasCost),
    block_gas_cost_raw: gasCost,
    fees_spent: optionalDecimal38(feesSpent),
    fees_spent_raw: feesSpent,
    min_delay_excess: optionalU64(at, 'blockMinDelayExcess'),
  }
}
