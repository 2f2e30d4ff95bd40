import { txIdInBlock } from '../../../codec/ids.ts'
import { type PTx, pTx } from '../../../codec/p.ts'
import { encodeNow } from '../../network/encode.ts'
import type { BuiltTx } from '../funding.ts'

/** Completes a transaction as a block contains it, and returns it with its id. */
export function finishTx(built: BuiltTx): { readonly tx: PTx; readonly txId: Uint8Array } {
  const tx: PTx = { unsignedTx: built.unsignedTx, credentials: built.credentials }
  return { tx, txId: txIdInBlock(encodeNow(pTx, tx)) }
}

/** Applies an accepted transaction to the state. */
export function settle(built: BuiltTx): PTx {
  const { tx, txId } = finishTx(built)
  built.accept(txId)
  return tx
}
