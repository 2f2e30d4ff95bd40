import { decodeExactly, decodeWithSpans } from '../../../codec/linear/index.ts'
import { unwrap } from '../../../codec/proposervm.ts'
import { xBlock } from '../../../codec/x/blocks.ts'
import { signedXTx } from '../../../codec/x/transactions.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { type ContainerStore, containerBytes } from '../../index/store.ts'
import { hrp } from '../../network/genesis.ts'
import { createFollower } from '../../service/follow.ts'
import { txJson } from '../json/transaction-json.ts'
import { alone, type FoundTx, getTx, givenId, slicesOf } from '../transactions/found.ts'

export type XTransactionStores = {
  /** Containers of the linear chain. */
  readonly linear: ContainerStore
  /** Transactions of before it was linear, on their own. */
  readonly before: ContainerStore
}

/** Transactions by id: those in blocks, and those of before there were blocks. */
export function xTransactionMethods({
  linear,
  before,
}: XTransactionStores): Readonly<Record<'getTx' | 'getTxStatus', RpcMethod>> {
  const heights = createFollower(linear, new Map<string, number>(), (known, { bytes, index }) => {
    const { block } = unwrap(bytes)
    const { spans } = decodeWithSpans(xBlock, block, `X ${index}`)
    for (const { id } of slicesOf(block, spans)) known.set(id, index + 1)
  })
  const bytesOf = async (id: string): Promise<Uint8Array | null> => {
    const index = before.indexOf(id)
    if (index !== null && index < before.count()) return containerBytes(before, index)
    const height = (await heights()).get(id)
    if (height === undefined) return null
    const { block } = unwrap(await containerBytes(linear, height - 1))
    const { spans } = decodeWithSpans(xBlock, block, 'block')
    return alone(slicesOf(block, spans).find((tx) => tx.id === id)!.slice)
  }
  const find = async (id: string): Promise<FoundTx | null> => {
    const bytes = await bytesOf(id)
    if (bytes === null) return null
    return { bytes, json: () => txJson(decodeExactly(signedXTx, bytes, 'transaction'), { chain: 'X', hrp }) }
  }
  return {
    getTx: getTx(find, { nil: 'nil transaction ID', missing: 'not found' }),
    getTxStatus: async (parameters) => {
      const found = await bytesOf(givenId(parameters))
      return [`{"status":"${found === null ? 'Unknown' : 'Accepted'}"}`]
    },
  }
}
