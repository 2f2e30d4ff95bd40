import type { FxOrder } from '../../model.ts'
import { type Schema, type ValueOf, versioned } from '../linear/index.ts'
import { type XBlockValue, xBlock, xBlockSchema } from './blocks.ts'
import { type XParts, xParts, xUtxo } from './parts.ts'
import { signedXTx, type XTx, xTransactions } from './transactions.ts'

/** How the bytes of a chain of the asset VM are read and written. */
export type XCodec = {
  readonly block: Schema<XBlockValue>
  /** A transaction on its own. */
  readonly signedTx: Schema<XTx>
  /** As nodes give it. */
  readonly utxo: Schema<ValueOf<XParts['utxo']>>
}

const primary: XCodec = { block: xBlock, signedTx: signedXTx, utxo: versioned(xUtxo) }
const others = new Map<string, XCodec>()

/** The codec of a chain with this order of feature extensions; null: that of the primary network's X chain. */
export function xCodec(order: FxOrder | null): XCodec {
  if (order === null) return primary
  const key = order.join()
  const known = others.get(key) ?? codecOf(order)
  others.set(key, known)
  return known
}

function codecOf(order: FxOrder): XCodec {
  const parts = xParts(order)
  const { tx } = xTransactions(parts)
  return { block: xBlockSchema(order, tx), signedTx: versioned(tx), utxo: versioned(parts.utxo) }
}
