import type { RestNodeBlock } from '../../../schemas/rest-node-blocks.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { optionalObject, type Reading } from '../json/fields.ts'
import { count, optionalCount, optionalTime, optionalU64, time } from '../json/number-fields.ts'
import { id, optionalId, optionalNodeId, word } from '../json/text-fields.ts'
import { type ListedChain, listPage, secondsOf } from './list-page.ts'
import { listedTransactions } from './listed-transactions.ts'

/** Reads the blocks that a node proposed (specification 2.5 and 4.8). */
export function decodeNodeBlocks(chain: ListedChain, nodeId: string) {
  return (answer: unknown, context: ReadingContext): Page => {
    const { rows, items, next } = listPage(
      answer,
      context,
      'blocks',
      chain.requested,
      (at, chainName) => ({ ...blockRow(at, chain, nodeId), chain_name: chainName }),
      ({ block_id, block_time }) => ({ key: block_id, time: secondsOf(block_time) }),
    )
    return { rows: { blocks: rows }, items, next }
  }
}

function blockRow(
  at: Reading,
  { network, blockchainId }: ListedChain,
  nodeId: string,
): Omit<RestNodeBlock, 'chain_name'> {
  return {
    network,
    node_id: nodeId,
    blockchain_id: blockchainId,
    height: count(at, 'blockNumber'),
    block_time: time(at, 'blockTimestamp'),
    block_id: id(at, 'blockHash'),
    parent_id: id(at, 'parentHash'),
    block_type: word(at, 'blockType'),
    ...listedTransactions(at),
    byte_length: count(at, 'blockSizeBytes'),
    l1_validators_accrued_fees: optionalU64(at, 'l1ValidatorsAccruedFees'),
    active_l1_validator_count: optionalCount(at, 'activeL1Validators'),
    current_supply: optionalU64(at, 'currentSupply'),
    ...(optionalObject(at, 'proposerDetails', proposer) ?? noProposer),
  }
}

const noProposer = {
  container_id: null,
  wrapper_parent_id: null,
  proposer_node_id: null,
  wrapper_p_height: null,
  wrapper_time: null,
}

function proposer(at: Reading) {
  return {
    container_id: optionalId(at, 'proposerId'),
    wrapper_parent_id: optionalId(at, 'proposerParentId'),
    proposer_node_id: optionalNodeId(at, 'proposerNodeId'),
    wrapper_p_height: optionalCount(at, 'proposerPChainHeight'),
    wrapper_time: optionalTime(at, 'proposerTimestamp'),
  }
}
