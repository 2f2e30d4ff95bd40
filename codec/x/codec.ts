import { type Schema, type ValueOf, versioned } from '../linear/index.ts'
import { type XBlockValue, xBlock, xBlockSchema } from './blocks.ts'
import type { FxOrder } from './fxs.ts'
import { type XParts, xParts, xUtxo } from './parts.ts'
import { signedXTx, type XTx, xTransactions } from './transactions.ts'

/** Reads and writes the bytes of a chain of the asset VM. */
export type XCodec = {
  readonly block: Schema<XBlockValue>
  /** A transaction outside of a block. */
  readonly signedTx: Schema<XTx>
  /** A UTXO in answers of nodes. */
  readonly utxo: Schema<ValueOf<XParts['utxo']>>
}

const primary: XCodec = { block: xBlock, signedTx: signedXTx, utxo: versioned(xUtxo) }
const others = new Map<string, XCodec>()

/** Returns the codec of a chain with this order of feature extensions. Null is the order of the primary network's X-Chain. */
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
