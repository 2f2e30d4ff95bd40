import { sha256 } from '../../codec/hash.ts'
import { encode } from '../../codec/linear/index.ts'
import { signedXTx, type XTx } from '../../codec/x/transactions.ts'
import type { Chooser } from '../network/choose.ts'
import type { BuiltXTx } from './funding.ts'

/** A transaction that has been accepted; `bytes` are those of it on its own. */
export type SettledXTx = { readonly tx: XTx; readonly txId: Uint8Array; readonly bytes: Uint8Array }

/** Builds and accepts up to `count` transactions one after the other, since each changes what the next can be. */
export function settleSomeX(chooser: Chooser<BuiltXTx>, count: number): SettledXTx[] {
  const settled: SettledXTx[] = []
  for (let tries = 0; tries < count; tries += 1) {
    const built = chooser.next()
    if (built !== null) settled.push(settleX(built))
  }
  return settled
}

function settleX({ unsignedTx, credentials, accept }: BuiltXTx): SettledXTx {
  const tx = { unsignedTx, credentials }
  const bytes = encode(signedXTx, tx)
  const txId = sha256(bytes)
  accept(txId)
  return { tx, txId, bytes }
}
