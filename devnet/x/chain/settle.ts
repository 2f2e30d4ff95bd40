import { sha256 } from '../../../codec/hash.ts'
import type { XCodec } from '../../../codec/x.ts'
import type { Chooser } from '../../network/choose.ts'
import { encodeNow } from '../../network/encode.ts'
import type { BuiltXTx } from '../funding.ts'

/** An accepted transaction, with its bytes outside of a block. */
export type SettledXTx = { readonly txId: Uint8Array; readonly bytes: Uint8Array }

/** Builds and accepts up to `count` transactions one after the other, since each one changes what the next one can be. */
export function settleSomeX(chooser: Chooser<BuiltXTx>, count: number, codec: XCodec): SettledXTx[] {
  const settled: SettledXTx[] = []
  for (let tries = 0; tries < count; tries += 1) {
    const built = chooser.next()
    if (built !== null) settled.push(settleX(built, codec))
  }
  return settled
}

function settleX({ unsignedTx, credentials, accept }: BuiltXTx, { signedTx }: XCodec): SettledXTx {
  const bytes = encodeNow(signedTx, { unsignedTx, credentials })
  const txId = sha256(bytes)
  accept(txId)
  return { txId, bytes }
}
