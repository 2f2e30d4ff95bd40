import { parse, stringify } from 'lossless-json'
import { unwrap } from '../../codec/containers.ts'
import { idText } from '../../codec/ids.ts'
import { decodeExactly } from '../../codec/linear.ts'
import { pBlock } from '../../codec/p.ts'
import { MethodError, type RpcMethod, rpcEndpoint } from '../http/json-rpc.ts'
import { type Answer, type DevnetRequest, jsonAnswer, type Route } from '../http/router.ts'
import { indexMethods } from '../index/methods.ts'
import { type ContainerStore, containerBytes, headOf, memoryStore, storeUnder } from '../index/store.ts'
import { type Heads, healthRoutes } from '../node/health.ts'
import { infoMethods, type NetworkFacts } from '../node/info.ts'
import type { DevnetNode } from '../node/node.ts'
import { recordedBlockMethods, recordedEvmBlocks } from './blocks.ts'
import { hasCalls, recordedStores, replayCalls } from './recording.ts'

/** A recorded node. Its heads do not move. */
export async function replayNode(folder: string): Promise<DevnetNode> {
  const stores = recordedStores(folder)
  const accepted = [...stores.values()].reduce((sum, store) => sum + store.count(), 0)
  return { routes: await replayRoutes(folder, stores), sockets: [], grow: async () => accepted, close: async () => {} }
}

/**
 * The routes of a recorded node: the index API for its containers, blocks by height, and the recorded answer of every recorded call. Other
 * requests get an error with the reason.
 */
async function replayRoutes(folder: string, stores: ReadonlyMap<string, ContainerStore>): Promise<Route[]> {
  const calls = replayCalls(folder)
  const facts = hasCalls(folder) ? null : await recordedFacts(stores)
  const empty = memoryStore([])
  const indexes = [...stores].map(([path, store]): Route => {
    const view = (request: DevnetRequest) => storeUnder(request.fault, store, async () => empty)
    return { path: `/ext/index/${path}`, handle: rpcEndpoint(indexMethods(view, 'node')) }
  })
  const notRecorded =
    (name: string): RpcMethod =>
    (parameters) => {
      const start = stringify(parameters.get('startindex'))
      // The recording of a list ends with its last page that has UTXOs. The node has an empty one after it.
      if (name.endsWith('.getUTXOs') && start !== undefined)
        return [`{"numFetched":"0","utxos":[],"endIndex":${start},"encoding":"hex"}`]
      throw new MethodError(`not in this recording: ${name}`)
    }
  const blocksOf = (chain: 'P' | 'X' | undefined) => {
    const store = chain === undefined ? undefined : stores.get(`${chain}/block`)
    return chain === undefined || store === undefined ? {} : recordedBlockMethods(folder, chain, store)
  }
  const endpoint = (path: string, chain?: 'P' | 'X'): Route => ({
    path,
    handle: rpcEndpoint(blocksOf(chain), notRecorded),
  })
  const evmBlocks = recordedEvmBlocks(folder, () => stores.get('C/block')?.count() ?? 0)
  return [
    ...indexes,
    { path: null, handle: calls },
    endpoint('/ext/bc/P', 'P'),
    endpoint('/ext/bc/X', 'X'),
    { path: '/ext/bc/C/rpc', handle: (request) => answerEvm(request, evmBlocks) },
    endpoint('/ext/bc/C/avax'),
    endpoint('/ext/bc/C/admin'),
    { path: '/ext/info', handle: rpcEndpoint(facts === null ? {} : infoMethods(facts), notRecorded) },
    ...(facts === null ? [endpoint('/ext/health')] : healthRoutes(headsOf(stores))),
  ]
}

/** The last container of each chain of a recording. */
function headsOf(stores: ReadonlyMap<string, ContainerStore>): Heads {
  return async () => {
    const heads = await Promise.all(
      [...stores].map(async ([path, store]) => [path.slice(0, 1), await headOf(store, '')] as const),
    )
    return Object.fromEntries(heads)
  }
}

function answerEvm(request: DevnetRequest, blocks: ReturnType<typeof recordedEvmBlocks>): Answer | null {
  const body = request.body.toString('utf8')
  const calls = parse(body) as unknown
  const one = (call: unknown): string => {
    const { id, method, params } = (call ?? {}) as { id?: unknown; method?: unknown; params?: unknown }
    const idText = stringify(id ?? null) ?? 'null'
    const answer = blocks(String(method), Array.isArray(params) ? params : [], idText)
    if (answer !== null) return answer.body.map(String).join('').trim()
    const message = `not in this recording: ${String(method)}`
    return `{"jsonrpc":"2.0","id":${idText},"error":{"code":-32000,"message":${JSON.stringify(message)}}}`
  }
  return jsonAnswer(200, [Array.isArray(calls) ? `[${calls.map(one).join(',')}]\n` : `${one(calls)}\n`])
}

/**
 * Facts of the network that containers reveal, for recordings without the calls that return them; null if the containers reveal nothing.
 */
async function recordedFacts(stores: ReadonlyMap<string, ContainerStore>): Promise<NetworkFacts | null> {
  const [p, x] = [stores.get('P/block'), stores.get('X/tx')]
  const said = (p === undefined ? null : await saidByBlocks(p)) ?? (x === undefined ? null : await saidByTxs(x))
  if (said === null) return null
  const networkName = said.networkId === 12345 ? 'local' : `network-${said.networkId}`
  return { ...said, networkName, upgrades: {} }
}

type Said = Pick<NetworkFacts, 'networkId' | 'chainIds'>

/** The network and chain in the first P-Chain transaction that names its network. */
async function saidByBlocks(store: ContainerStore): Promise<Said | null> {
  for (let index = 0; index < store.count(); index += 1) {
    const block = decodeExactly(pBlock, unwrap(await containerBytes(store, index)).block, 'block')
    const txs = [...('txs' in block ? block.txs : []), ...('tx' in block ? [block.tx] : [])]
    for (const { unsignedTx } of txs) {
      if ('networkID' in unsignedTx) {
        return { networkId: unsignedTx.networkID, chainIds: { P: idText(unsignedTx.blockchainID) } }
      }
    }
  }
  return null
}

/** The network and chain of an X-Chain transaction: codec version, type, network, chain. */
async function saidByTxs(store: ContainerStore): Promise<Said | null> {
  if (store.count() === 0) return null
  const bytes = Buffer.from(await containerBytes(store, 0))
  return { networkId: bytes.readUInt32BE(6), chainIds: { X: idText(bytes.subarray(10, 42)) } }
}
