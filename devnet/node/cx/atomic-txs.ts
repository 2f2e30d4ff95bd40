import { cBlock, decodeExtData, signedAtomicTx } from '../../../codec/c.ts'
import { unwrap } from '../../../codec/containers.ts'
import { idText } from '../../../codec/ids.ts'
import { decodeExactly } from '../../../codec/linear.ts'
import { type ContainerStore, containerBytes } from '../../index/store.ts'
import { encodeNow } from '../../network/encode.ts'
import { createFollower } from '../../service/plumbing/follow.ts'

/** An accepted atomic transaction: its bytes without the block, and the height of its block. */
type AcceptedAtomicTx = { readonly bytes: Uint8Array; readonly height: number }

/** Finds atomic transactions of the C-Chain by id; null if none with this id has been accepted. */
export function acceptedAtomicTxs(store: ContainerStore): (id: string) => Promise<AcceptedAtomicTx | null> {
  const heights = createFollower(store, new Map<string, number>(), (known, { bytes, index }) => {
    for (const id of txsIn(bytes, index).keys()) known.set(id, index + 1)
  })
  return async (id) => {
    const height = (await heights()).get(id)
    if (height === undefined) return null
    return { height, bytes: txsIn(await containerBytes(store, height - 1), height - 1).get(id)! }
  }
}

function txsIn(container: Uint8Array, index: number): ReadonlyMap<string, Uint8Array> {
  const { extData } = decodeExactly(cBlock, unwrap(container).block, `C ${index}`)
  const { txs, txIds } = decodeExtData(extData, `C ${index}`)
  return new Map(txs.map((tx, at) => [idText(txIds[at]!), encodeNow(signedAtomicTx, tx)]))
}
