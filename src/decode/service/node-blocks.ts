import type { RestNodeBlock } from '../../../schemas/rest-node-blocks.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import {
  count,
  optionalCount,
  optionalObject,
  optionalText,
  optionalTime,
  optionalWhole,
  type Reading,
  text,
  texts,
  time,
} from './fields.ts'
import { type ListedChain, listPage, secondsOf } from './list-page.ts'

/** Blocks that a node proposed (specification 2.5 and 4.8). */
export function decodeNodeBlocks(chain: ListedChain, nodeId: string) {
  return (answer: unknown, context: ReadingContext): Page => {
    const { rows, items, next } = listPage(
      answer,
      context,
      'blocks',
      chain.asked,
      (at) => blockRow(at, chain, nodeId),
      ({ block_id, block_time }) => ({ key: block_id, time: secondsOf(block_time) }),
    )
    return { rows: { blocks: rows }, items, next }
  }
}

function blockRow(at: Reading, { network, blockchainId }: ListedChain, nodeId: string): RestNodeBlock {
  return {
    network,
    node_id: nodeId,
    blockchain_id: blockchainId,
    height: count(at, 'blockNumber'),
    block_time: time(at, 'blockTimestamp'),
    block_id: text(at, 'blockHash'),
    parent_id: text(at, 'parentHash'),
    block_type: text(at, 'blockType'),
    tx_count: count(at, 'txCount'),
    tx_ids: texts(at, 'transactions'),
    block_size_bytes: count(at, 'blockSizeBytes'),
    l1_validators_accrued_fees: optionalWhole(at, 'l1ValidatorsAccruedFees'),
    active_l1_validators: optionalCount(at, 'activeL1Validators'),
    current_supply: optionalWhole(at, 'currentSupply'),
    ...(optionalObject(at, 'proposerDetails', proposer) ?? noProposer),
  }
}

const noProposer = {
  proposer_id: null,
  proposer_parent_id: null,
  proposer_node_id: null,
  proposer_p_chain_height: null,
  proposer_time: null,
}

function proposer(at: Reading) {
  return {
    proposer_id: optionalText(at, 'proposerId'),
    proposer_parent_id: optionalText(at, 'proposerParentId'),
    proposer_node_id: optionalText(at, 'proposerNodeId'),
    proposer_p_chain_height: optionalCount(at, 'proposerPChainHeight'),
    proposer_time: optionalTime(at, 'proposerTimestamp'),
  }
}
