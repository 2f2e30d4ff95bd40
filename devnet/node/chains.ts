import { blockTypeId } from '../../codec/fxs.ts'
import { xCodec } from '../../codec/x.ts'
import type { GrowingNetwork } from '../chains/growing-network.ts'
import { type RpcMethod, type RpcMethods, rpcEndpoint } from '../http/json-rpc.ts'
import { contentType, type Handler, jsonAnswer, type Route, textAnswer } from '../http/router.ts'
import type { SocketRoute } from '../http/websocket.ts'
import type { Dialect } from '../index/methods.ts'
import { type ContainerStore, memoryStore } from '../index/store.ts'
import { chainTexts } from '../network/genesis.ts'
import type { ChainAlias } from '../network/state.ts'
import { pGenesisBlock } from '../p/chain.ts'
import type { Ledgers } from '../service/ledgers.ts'
import { createPrimaryLedger } from '../service/primary/ledger/ledger.ts'
import { xBefore, xGenesisBlock } from '../x/chain.ts'
import type { OtherChain } from '../x/other-chains.ts'
import { adminMethods } from './admin.ts'
import { type BlockSource, viewOfBlocks } from './blocks.ts'
import { cxMethods } from './cx.ts'
import { type EvmLimits, evmMethods } from './evm/methods.ts'
import { createEvmReader } from './evm/reader.ts'
import { createEvmRpc, type EvmRpc, noSubscriptions, openEvmSession } from './evm/rpc.ts'
import { platformMethods } from './platform.ts'
import { xGenesis, xvmMethods } from './xvm.ts'

type ChainFacts = {
  readonly network: GrowingNetwork
  /** Another network with the same network id: that of the next seed. */
  readonly other: () => Promise<GrowingNetwork>
  readonly ledgers: Ledgers
  readonly seed: number
  readonly dialect: Dialect
  readonly limits: EvmLimits
  /** Chains of the asset VM other than the X-Chain. */
  readonly others: readonly OtherChain[]
}

/** All routes below `/ext/bc` (specification, part 1): each chain under its alias and under its id. */
export function chainsOf({ network, other, ledgers, seed, dialect, limits, others }: ChainFacts): {
  readonly routes: readonly Route[]
  readonly sockets: readonly SocketRoute[]
} {
  const { stores, created } = network
  const { primary, evm } = ledgers
  const blocksOf = (alias: 'P' | 'X') =>
    viewOfBlocks(blockSource(alias, network, seed), async () => {
      return blockSource(alias, await other(), seed + 1)
    })
  const platform = platformMethods({
    blocks: blocksOf('P'),
    store: stores['P/block'],
    chains: created,
    ledger: primary,
    others,
  })
  const xvm = xvmMethods({
    blocks: blocksOf('X'),
    linear: stores['X/block'],
    vertices: stores['X/vtx'],
    transactions: stores['X/tx'],
    ledger: primary,
  })
  const reader = createEvmReader({ blocks: stores['C/block'], ledger: evm, seed })
  const methods = evmMethods(reader, limits)
  const cx = cxMethods({ store: stores['C/block'], primary, evm, mempool: network })
  const source = { methods, reader, growth: network.onGrowth }
  return {
    routes: [
      ...routes('P', ['', '/rpc'], rpcEndpoint(named('platform', dialect, platform))),
      ...routes('X', ['', '/rpc'], rpcEndpoint(named('xvm', dialect, xvm))),
      ...others.map((chain) => otherChainRoute(chain, dialect)),
      ...routes('C', ['/rpc'], cChainHandler(createEvmRpc({ ...methods, ...noSubscriptions }))),
      ...routes('C', [atomicPath[dialect]], rpcEndpoint(named('cx', dialect, cx))),
      ...routes('C', ['/admin'], rpcEndpoint(named('admin', dialect, adminMethods(limits)))),
    ],
    sockets: pathsOf('C', ['/ws']).map((path) => ({ path, open: (send) => openEvmSession(source, send) })),
  }
}

function blockSource(alias: 'P' | 'X', { stores }: GrowingNetwork, seed: number): BlockSource {
  const genesis = alias === 'P' ? async () => pGenesisBlock(seed) : () => xGenesis(stores['X/vtx'], seed)
  return { store: stores[`${alias}/block`], genesis }
}

function routes(alias: ChainAlias, ends: readonly string[], handle: Handler): Route[] {
  return pathsOf(alias, ends).map((path) => ({ path, handle }))
}

function pathsOf(alias: ChainAlias, ends: readonly string[]): string[] {
  return [alias, chainTexts[alias]].flatMap((name) => ends.map((end) => `/ext/bc/${name}${end}`))
}

/** Answers `/ext/bc/C/rpc` over HTTP: single calls and batches. */
function cChainHandler(rpc: EvmRpc): Handler {
  return async (request) => {
    const { method, body } = request
    if (method !== 'POST') return textAnswer(method === 'GET' ? 200 : 405, '')
    const type = (contentType(request).split(';')[0] ?? '').trim().toLowerCase()
    if (type !== '' && type !== 'application/json')
      return textAnswer(415, 'invalid content type, only application/json is supported\n')
    return jsonAnswer(200, [`${await rpc(body.toString('utf8'))}\n`])
  }
}

const nothing = memoryStore([])

/** The methods of a chain of the asset VM other than the X-Chain. Its path contains only its id, and no index contains it. */
function otherChainRoute(chain: OtherChain, dialect: Dialect): Route {
  const { id, fxs, seed } = chain
  const linear = openedOnUse(chain.blocks)
  const stores = { 'P/block': nothing, 'X/block': linear, 'X/tx': nothing, 'X/vtx': nothing, 'C/block': nothing }
  const source = { store: linear, genesis: async () => xGenesisBlock(xBefore(seed), blockTypeId(fxs)) }
  const methods = xvmMethods({
    blocks: viewOfBlocks(source, async () => source),
    linear,
    vertices: nothing,
    transactions: nothing,
    ledger: createPrimaryLedger({ stores }, seed, xCodec(fxs)),
    other: { name: id, fxs },
  })
  return { path: `/ext/bc/${id}`, handle: rpcEndpoint(named('xvm', dialect, methods)) }
}

function openedOnUse(open: () => ContainerStore): ContainerStore {
  return {
    count: () => open().count(),
    texts: (from, to) => open().texts(from, to),
    indexOf: (id) => open().indexOf(id),
  }
}

/** Names of services by dialect: the specification has neutral names, nodes have their own. */
const namespaces = {
  platform: { node: 'platform.', spec: 'platform.' },
  xvm: { node: 'avm.', spec: 'xvm.' },
  cx: { node: 'avax.', spec: 'cx.' },
  admin: { node: 'admin.', spec: 'admin_' },
} as const satisfies Record<string, Record<Dialect, string>>

/** The end of the path of atomic methods below `/ext/bc/C` (specification, part 1). */
const atomicPath: Readonly<Record<Dialect, string>> = { node: '/avax', spec: '/cx' }

/** Methods under the names of a dialect. */
export function named(
  service: keyof typeof namespaces,
  dialect: Dialect,
  methods: Readonly<Record<string, RpcMethod>>,
): RpcMethods {
  const prefix = namespaces[service][dialect]
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [prefix + name, method]))
}
