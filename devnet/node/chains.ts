import type { GrowingNetwork } from '../chains/growing-network.ts'
import { rpcEndpoint } from '../http/json-rpc.ts'
import type { Handler, Route } from '../http/router.ts'
import type { SocketRoute } from '../http/websocket/serve.ts'
import type { Dialect } from '../index/methods.ts'
import { chainTexts } from '../network/genesis.ts'
import type { ChainAlias } from '../network/shared-memory.ts'
import { pGenesisBlock } from '../p/chain/chain.ts'
import type { Ledgers } from '../service/ledgers/ledgers.ts'
import type { OtherChain } from '../x/chain/other-chains.ts'
import { adminMethods } from './admin.ts'
import { type BlockSource, viewOfBlocks } from './blocks/view.ts'
import { cChainHandler } from './c-chain.ts'
import { cxMethods } from './cx/methods.ts'
import { type EvmLimits, evmMethods } from './evm/methods.ts'
import { createEvmReader } from './evm/reader.ts'
import { createEvmRpc } from './evm/rpc.ts'
import { noSubscriptions, openEvmSession } from './evm/subscriptions.ts'
import { atomicPath, named } from './namespaces.ts'
import { otherChainRoute } from './other-chains.ts'
import { platformMethods } from './platform/methods.ts'
import { xGenesis, xvmMethods } from './xvm/methods.ts'

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
