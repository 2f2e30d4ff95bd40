import { unwrap } from '../../codec/containers.ts'
import { sha256 } from '../../codec/hash.ts'
import { idText } from '../../codec/ids.ts'
import {
  encodedBytes,
  encodingOf,
  idOf,
  jsonText,
  MethodError,
  type Parameters,
  type RpcMethod,
  uint64Of,
} from '../http/json-rpc.ts'
import type { DevnetRequest } from '../http/router.ts'
import { createFollower } from '../index/follow.ts'
import { type ContainerStore, containerBytes, storeUnder } from '../index/store.ts'
import type { Json } from './json.ts'

/** The blocks of a chain that a request sees. A fault can replace them by others. */
export type BlocksView = (request: DevnetRequest) => Promise<ChainBlocks>

/** Containers of a chain, and its block of height 0. */
export type BlockSource = { readonly store: ContainerStore; readonly genesis: () => Promise<Uint8Array> }

export function viewOfBlocks(own: BlockSource, other: () => Promise<BlockSource>): BlocksView {
  const blocks = chainBlocks(own.store, own.genesis)
  return async ({ fault }) => {
    if (fault === null) return blocks
    const seen = await storeUnder(fault, own.store, async () => (await other()).store)
    if (seen === own.store) return blocks
    return chainBlocks(seen, fault === 'other-chain' ? (await other()).genesis : own.genesis)
  }
}

/** Blocks of the P-Chain or the X-Chain as the RPC returns them: without proposer wrappers, and including the genesis block. */
type ChainBlocks = {
  /** Height of the last accepted block. */
  height(): number
  /** Null above the last block, and for the genesis block if it is not available. */
  at(height: bigint): Promise<Uint8Array | null>
  withId(id: string): Promise<Uint8Array | null>
}

/** `genesis` returns the block of height 0, which no index contains. The block at index `i` has the height `i + 1`. */
export function chainBlocks(store: ContainerStore, genesis: () => Promise<Uint8Array | null>): ChainBlocks {
  const heights = createFollower(store, new Map<string, number>(), (known, { bytes, index }) => {
    known.set(idText(sha256(unwrap(bytes).block)), index + 1)
  })
  const at = async (height: bigint): Promise<Uint8Array | null> => {
    if (height === 0n) return genesis()
    if (height > BigInt(store.count())) return null
    return unwrap(await containerBytes(store, Number(height) - 1)).block
  }
  return {
    height: store.count,
    at,
    withId: async (id) => {
      const height = (await heights()).get(id)
      if (height !== undefined) return height <= store.count() ? at(BigInt(height)) : null
      const first = await genesis()
      return first !== null && idText(sha256(first)) === id ? first : null
    },
  }
}

type BlockMethods = Readonly<Record<'getHeight' | 'getBlock' | 'getBlockByHeight', RpcMethod>>

/**
 * The methods that return blocks, the same on the P-Chain and the X-Chain (specification 4.1, 4.3). `json` formats a block for `encoding:
 * json`.
 */
export function blockMethods(view: BlocksView, json: (bytes: Uint8Array) => Json): BlockMethods {
  const answer = (parameters: Parameters, bytes: Uint8Array): string[] => {
    const encoding = encodingOf(parameters)
    const block = encoding === 'json' ? jsonText(json(bytes)) : `"${encodedBytes(bytes, encoding)}"`
    return [`{"block":${block},"encoding":"${encoding}"}`]
  }
  return {
    getHeight: async (_, request) => [`{"height":"${(await view(request)).height()}"}`],
    getBlock: async (parameters, request) => {
      const id = idOf(parameters, 'blockid')
      encodingOf(parameters)
      const block = await (await view(request)).withId(id)
      if (block === null) throw new MethodError(`couldn't get block with id ${id}: not found`)
      return answer(parameters, block)
    },
    getBlockByHeight: async (parameters, request) => {
      const height = uint64Of(parameters, 'height')
      encodingOf(parameters)
      const block = await (await view(request)).at(height)
      if (block === null) throw new MethodError(`couldn't get block at height ${height}: not found`)
      return answer(parameters, block)
    },
  }
}
