import { idText } from '../../../codec/cb58.ts'
import { decodeExactly } from '../../../codec/linear/index.ts'
import { pBlock } from '../../../codec/p/blocks.ts'
import { xCodec } from '../../../codec/x/codec.ts'
import type { FxOrder } from '../../../codec/x/fxs.ts'
import type { NodeBlock, nodeBlocks } from '../../../schemas/node-blocks.ts'
import type { Page, ReadingContext, Refusal } from '../../define/index.ts'
import { answerObject, finish, ignore, object, type Reading, raw, wrong } from '../json/fields.ts'
import { jsonText } from '../json/json-text.ts'
import { count, id, optionalText, optionalU64 } from '../json/value-fields.ts'
import { boundedNumber } from '../numbers.ts'
import { timeOf } from '../times.ts'
import { encodedBytes, mustHaveId } from './encoded-bytes.ts'
import { isNotFound } from './refusals.ts'

type BlockPage = Page<{ blocks: typeof nodeBlocks }>

/** A block requested by its id, from the P-Chain (`platform`) or a chain of the asset VM (`xvm`). */
type RequestedBlock = {
  readonly network: string
  readonly blockchainId: string
  readonly blockId: string
  readonly namespace: 'platform' | 'xvm'
  /** Equal to `fxs` in the `ChainContext` of the chain. */
  readonly fxs: FxOrder | null
}

type Content = Omit<NodeBlock, 'network' | 'blockchain_id' | 'block_id'>

/** Reads a block (platform.getBlock, xvm.getBlock; specification 4.1 and 4.3) as bytes or JSON. Throws `DecodeError` for another block. */
export function decodeBlock(requested: RequestedBlock) {
  return (answer: unknown, context: ReadingContext): BlockPage => {
    const at = answerObject(answer, 'answer', context)
    const encoding = (optionalText(at, 'encoding') ?? 'hex').toLowerCase()
    const content = encoding === 'json' ? jsonContent(at, requested) : bytesContent(at, encoding, requested)
    finish(at)
    const { network, blockchainId, blockId } = requested
    const row: NodeBlock = { network, blockchain_id: blockchainId, block_id: blockId, ...content }
    return { rows: { blocks: [row] }, items: [], next: null }
  }
}

/** Returns an empty page if the node does not have the block yet. The next run requests it again. */
export function blockRefused(refusal: Refusal): BlockPage | null {
  return isNotFound(refusal) ? { rows: { blocks: [] }, items: [], next: null } : null
}

function bytesContent(at: Reading, encoding: string, { blockId, namespace, fxs }: RequestedBlock): Content {
  const bytes = encodedBytes(at, 'block', encoding)
  mustHaveId(bytes, blockId, 'block')
  const block =
    namespace === 'platform' ? decodeExactly(pBlock, bytes, 'block') : decodeExactly(xCodec(fxs).block, bytes, 'block')
  const txs = 'txs' in block ? block.txs.length : 0
  return {
    height: boundedNumber(block.height, 'block.height'),
    parent_id: idText(block.parentID),
    block_time: 'time' in block ? timeOf(block.time) : null,
    block_type: block.type,
    tx_count: 'tx' in block ? txs + 1 : txs,
    encoding: 'hex',
    block_bytes: bytes,
    block_json: null,
  }
}

function jsonContent(at: Reading, { blockId }: RequestedBlock): Content {
  return object(at, 'block', (block) => {
    const stated = id(block, 'id')
    if (stated !== blockId) throw wrong('block.id', 'is not the requested one', stated)
    const time = optionalU64(block, 'time')
    const content: Content = {
      height: count(block, 'height'),
      parent_id: id(block, 'parentID'),
      block_time: time === null ? null : timeOf(time),
      block_type: null,
      tx_count: txsIn(block),
      encoding: 'json',
      block_bytes: null,
      block_json: jsonText(raw(at, 'block')),
    }
    ignore(block, ...(Object.keys(block.object) as [string, ...string[]]))
    return content
  })
}

/** Counts the transactions. `txs` may be null. `tx` is the proposed transaction of a proposal block. */
function txsIn(block: Reading): number {
  const txs = raw(block, 'txs') ?? []
  if (!Array.isArray(txs)) throw wrong('block.txs', 'is no list', txs)
  return raw(block, 'tx') === undefined ? txs.length : txs.length + 1
}
