import { unwrap } from '../../codec/containers.ts'
import type { FxOrder } from '../../codec/fxs.ts'
import { idText, txIdInBlock } from '../../codec/ids.ts'
import { decodeExactly, decodeWithSpans } from '../../codec/linear.ts'
import { pBlock, signedPTx } from '../../codec/p.ts'
import { xCodec } from '../../codec/x.ts'
import {
  type Encoding,
  encodedBytes,
  encodingOf,
  idOf,
  jsonText,
  MethodError,
  type Parameters,
  type RpcMethod,
} from '../http/json-rpc.ts'
import { createFollower } from '../index/follow.ts'
import { type ContainerStore, containerBytes } from '../index/store.ts'
import { hrp, zeroIdText } from '../network/genesis.ts'
import type { OtherChain } from '../x/other-chains.ts'
import { type Json, txJson } from './json.ts'

/** A transaction outside of its block: its bytes with their codec version, and the node's JSON of it. */
type FoundTx = { readonly bytes: Uint8Array; readonly json: () => { [name: string]: Json } }

/** Converts the bytes of a transaction in a block, which have no codec version, to the form with a codec version. */
function alone(slice: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(slice.length + 2)
  bytes.set(slice, 2)
  return bytes
}

/** Ids and bytes of the transactions of a block, from the spans that the decoder returned. */
function slicesOf(bytes: Uint8Array, spans: readonly number[]): { readonly id: string; readonly slice: Uint8Array }[] {
  return Array.from({ length: spans.length / 2 }, (_, at) => {
    const slice = bytes.subarray(spans[2 * at]!, spans[2 * at + 1]!)
    return { id: idText(txIdInBlock(slice)), slice }
  })
}

/** Creates the method that returns a transaction. If `find` returns null, the error text is `missing`. */
function getTx(
  find: (id: string) => Promise<FoundTx | null>,
  { nil, missing }: { readonly nil: string; readonly missing: string },
): RpcMethod {
  return async (parameters) => {
    const id = idOf(parameters, 'txid')
    const encoding = encodingOf(parameters)
    if (id === zeroIdText && nil !== '') throw new MethodError(nil)
    const found = await find(id)
    if (found === null) throw new MethodError(missing)
    return [`{"tx":${textOf(found, id, encoding)},"encoding":"${encoding}"}`]
  }
}

/** The id argument of X-Chain and atomic methods. The empty id is refused. */
export function givenId(parameters: Parameters): string {
  const id = idOf(parameters, 'txid')
  if (id === zeroIdText) throw new MethodError('nil transaction ID')
  return id
}

function textOf({ bytes, json }: FoundTx, id: string, encoding: Encoding): string {
  return encoding === 'json' ? jsonText({ ...json(), id }) : `"${encodedBytes(bytes, encoding)}"`
}

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
