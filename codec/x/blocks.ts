import {
  decodeExactly,
  id,
  list,
  type Schema,
  spanned,
  struct,
  u64,
  union,
  type ValueOf,
  versioned,
} from '../linear/index.ts'
import type { FxOrder } from './fxs.ts'
import { blockTypeId, primaryFxs } from './fxs.ts'
import { primaryTransactions, type XTransactions } from './transactions.ts'

/** A block of a chain of the asset VM, inside a wrapper. `time` is in Unix seconds. Transactions are `spanned`. */
export function xBlockSchema(order: FxOrder, tx: XTransactions['tx']) {
  const fields = { parentID: id, height: u64, time: u64, merkleRoot: id, txs: list(spanned(tx)) }
  return versioned(union('X block', numberedBlock(order, struct('StandardBlock', fields))))
}

function numberedBlock<B>(order: FxOrder, block: B): { readonly [typeId: number]: B } {
  return { [blockTypeId(order)]: block }
}

/** A block of the primary network's X-Chain since Cortina. The sha256 of these bytes is its id. */
export const xBlock: Schema<XBlockValue> = xBlockSchema(primaryFxs, primaryTransactions.tx)
export type XBlockValue = ValueOf<ReturnType<typeof xBlockSchema>>

const head = struct('StandardBlock', { parentID: id, height: u64 })
/** The first fields of every block. The type id depends on whether the chain has one, two or three feature extensions. */
const anyHead = versioned(union('X block', { 10: head, 15: head, 20: head }))
const headLength = 2 + 4 + 32 + 8

/** Returns the id of the parent block, for any chain of the asset VM. Throws `DecodeError`. */
export function xBlockParent(block: Uint8Array): Uint8Array {
  return decodeExactly(anyHead, block.subarray(0, headLength), 'block').parentID
}

/** Returns the height of a block of any chain of the asset VM. Throws `DecodeError`. */
export function xBlockHeight(block: Uint8Array): bigint {
  return decodeExactly(anyHead, block.subarray(0, headLength), 'block').height
}
