import { unwrap } from '../../../codec/containers.ts'
import type { FxOrder } from '../../../codec/fxs.ts'
import { decodeExactly, decodeWithSpans } from '../../../codec/linear.ts'
import { xCodec } from '../../../codec/x.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { type ContainerStore, containerBytes } from '../../index/store.ts'
import { hrp } from '../../network/genesis.ts'
import { createFollower } from '../../service/plumbing/follow.ts'
import { txJson } from '../json/transaction-json.ts'
import { alone, type FoundTx, getTx, givenId, slicesOf } from '../transactions/found.ts'

type XTransactionStores = {
  /** Feature extensions of another chain of the asset VM; default: those of the X-Chain. */
  readonly fxs?: FxOrder | null
  /** Containers of the linear chain. */
  readonly linear: ContainerStore
  /** Transactions from before the chain was linear. */
  readonly before: ContainerStore
}

/** Transactions by id: those in blocks, and those from before the chain had blocks. */
export function xTransactionMethods({
  linear,
  before,
  fxs = null,
}: XTransactionStores): Readonly<Record<'getTx' | 'getTxStatus', RpcMethod>> {
  const codec = xCodec(fxs)
  const heights = createFollower(linear, new Map<string, number>(), (known, { bytes, index }) => {
    const { block } = unwrap(bytes)
    const { spans } = decodeWithSpans(codec.block, block, `X ${index}`)
    for (const { id } of slicesOf(block, spans)) known.set(id, index + 1)
  })
  const bytesOf = async (id: string): Promise<Uint8Array | null> => {
    const index = before.indexOf(id)
    if (index !== null && index < before.count()) return containerBytes(before, index)
    const height = (await heights()).get(id)
    if (height === undefined) return null
    const { block } = unwrap(await containerBytes(linear, height - 1))
    const { spans } = decodeWithSpans(codec.block, block, 'block')
    return alone(slicesOf(block, spans).find((tx) => tx.id === id)!.slice)
  }
  const find = async (id: string): Promise<FoundTx | null> => {
    const bytes = await bytesOf(id)
    if (bytes === null) return null
    return {
      bytes,
      json: () =>
        txJson(decodeExactly(codec.signedTx, bytes, 'transaction'), {
          chain: 'X',
          hrp,
          ...(fxs === null ? {} : { fxs }),
        }),
    }
  }
  return {
    getTx: getTx(find, { nil: 'nil transaction ID', missing: 'not found' }),
    getTxStatus: async (parameters) => {
      const found = await bytesOf(givenId(parameters))
      return [`{"status":"${found === null ? 'Unknown' : 'Accepted'}"}`]
    },
  }
}
