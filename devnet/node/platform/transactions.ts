import { unwrap } from '../../../codec/containers.ts'
import { decodeExactly, decodeWithSpans } from '../../../codec/linear.ts'
import { pBlock, signedPTx } from '../../../codec/p.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { idOf } from '../../http/parameters.ts'
import { type ContainerStore, containerBytes } from '../../index/store.ts'
import { hrp } from '../../network/genesis.ts'
import { createFollower } from '../../service/plumbing/follow.ts'
import type { OtherChain } from '../../x/chain/other-chains.ts'
import { txJson } from '../json/transaction-json.ts'
import { alone, type FoundTx, getTx, slicesOf } from '../transactions/found.ts'

function foundTx(bytes: Uint8Array): FoundTx {
  return { bytes, json: () => txJson(decodeExactly(signedPTx, bytes, 'transaction'), { chain: 'P', hrp }) }
}

type Status = 'Committed' | 'Aborted' | 'Processing'
type Known = Map<string, { readonly height: number; readonly status: Status }>

/** Transactions by id, with their status. The block after a proposal decides it. `genesis`: chains that the genesis created. */
export function pTransactionMethods(
  store: ContainerStore,
  genesis: readonly OtherChain[] = [],
): Readonly<Record<'getTx' | 'getTxStatus', RpcMethod>> {
  let proposed: string | null = null
  const known = createFollower(store, new Map() as Known, (ids, { bytes, index }) => {
    const { block: inner } = unwrap(bytes)
    const { value: block, spans } = decodeWithSpans(pBlock, inner, `P ${index}`)
    const height = index + 1
    if (proposed !== null) {
      const status = block.type.endsWith('AbortBlock') ? 'Aborted' : 'Committed'
      ids.set(proposed, { height: height - 1, status })
      proposed = null
    }
    const found = slicesOf(inner, spans)
    for (const { id } of found) ids.set(id, { height, status: 'Committed' })
    if (!block.type.endsWith('ProposalBlock')) return
    // Transactions are in byte order, so the proposed one is last.
    proposed = found.at(-1)!.id
    ids.set(proposed, { height, status: 'Processing' })
  })
  const find = async (id: string): Promise<FoundTx | null> => {
    const created = genesis.find((chain) => chain.id === id)?.tx
    if (created !== undefined) return foundTx(created)
    const place = (await known()).get(id)
    if (place === undefined) return null
    const { block } = unwrap(await containerBytes(store, place.height - 1))
    const { spans } = decodeWithSpans(pBlock, block, 'block')
    const bytes = alone(slicesOf(block, spans).find((tx) => tx.id === id)!.slice)
    return foundTx(bytes)
  }
  return {
    getTx: getTx(find, { nil: '', missing: "couldn't get tx: not found" }),
    getTxStatus: async (parameters) => {
      const id = idOf(parameters, 'txid')
      return [`{"status":"${(await known()).get(id)?.status ?? 'Unknown'}"}`]
    },
  }
}
