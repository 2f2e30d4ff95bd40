import { defaultCacheDir } from '../cache/cache.ts'
import { storeUnder } from '../faults/view.ts'
import { rpcEndpoint } from '../http/json-rpc.ts'
import type { DevnetRequest } from '../http/request.ts'
import type { Handler, Route } from '../http/router.ts'
import { indexMethods } from '../index/methods.ts'
import { type ContainerStore, headOf } from '../index/store.ts'
import { chainTexts, hrp, networkId } from '../network/genesis.ts'
import { type IndexPath, indexPaths } from '../network/network.ts'
import type { DevnetOptions } from '../options.ts'
import { genesisBlockText } from '../p/chain.ts'
import { createLedgers, type Ledgers } from '../service/ledgers.ts'
import { createService } from '../service/service.ts'
import { cChainHandler } from './c-chain.ts'
import { cxMethods } from './cx/methods.ts'
import { evmMethods } from './evm/methods.ts'
import { createEvmReader } from './evm/reader.ts'
import { createEvmRpc } from './evm/rpc.ts'
import { type GrowingNetwork, openGrowingNetwork } from './growing-network.ts'
import { healthRoutes } from './health.ts'
import { infoMethods } from './info.ts'
import { atomicPath, named } from './namespaces.ts'
import type { DevnetNode } from './node.ts'
import { platformMethods } from './platform/methods.ts'
import { upgradeTimes } from './upgrades.ts'
import { xvmMethods } from './xvm/methods.ts'

const defaultBlocks = 5_000
/** The fault `other-chain` shows chains of at most so many containers. */
const mostOfOther = 20_000

/** A simulated node: generates its network or opens it, and lets its heads grow. */
export async function simulatedNode(options: DevnetOptions): Promise<DevnetNode> {
  const {
    seed = 1,
    blocks = defaultBlocks,
    legacy = false,
    cacheDir = defaultCacheDir,
    blockTimeMs,
    onProgress,
  } = options
  const progress = onProgress === undefined ? {} : { onProgress }
  const network = await openGrowingNetwork({ cacheDir, seed, legacy, accepted: blocks, ...progress })
  let other: Promise<GrowingNetwork> | null = null
  const otherStore = async (path: IndexPath): Promise<ContainerStore> => {
    other ??= openGrowingNetwork({ cacheDir, seed: seed + 1, legacy, accepted: Math.min(blocks, mostOfOther) })
    return (await other).stores[path]
  }
  const source = { stores: network.stores, seed }
  const ledgers = createLedgers(source)
  const timer = blockTimeMs === undefined ? null : setInterval(() => void network.grow(1).catch(() => {}), blockTimeMs)
  return {
    routes: [
      ...routesOf(network, otherStore, { seed, ...ledgers }, options),
      ...createService(source, ledgers, options),
    ],
    grow: network.grow,
    close: async () => {
      if (timer !== null) clearInterval(timer)
      await network.close()
      if (other !== null) await (await other).close()
    },
  }
}

function routesOf(
  network: GrowingNetwork,
  otherStore: (path: IndexPath) => Promise<ContainerStore>,
  { seed, evm, primary }: Ledgers & { readonly seed: number },
  { dialect = 'node', mostLogBlocks = 2_048, proofWindow = 32 }: DevnetOptions,
): Route[] {
  const { stores, created } = network
  const index = (path: IndexPath): Route => {
    const view = (request: DevnetRequest) => storeUnder(request.fault, stores[path], () => otherStore(path))
    return { path: `/ext/index/${path}`, handle: rpcEndpoint(indexMethods(view, dialect)) }
  }
  const heads = async () => ({
    P: await headOf(stores['P/block'], genesisBlockText(seed)),
    X: await headOf(stores['X/block'], chainTexts.X),
    C: await headOf(stores['C/block'], chainTexts.C),
  })
  const platform = platformMethods({ store: stores['P/block'], chains: created, ledger: primary, seed })
  const xvm = xvmMethods({
    blocks: stores['X/block'],
    vertices: stores['X/vtx'],
    transactions: stores['X/tx'],
    ledger: primary,
    seed,
  })
  const reader = createEvmReader({ blocks: stores['C/block'], ledger: evm, seed })
  const cx = cxMethods({ store: stores['C/block'], primary, evm, mempool: network })
  const facts = { networkId, networkName: hrp, chainIds: chainTexts, upgrades: upgradeTimes() }
  return [
    ...indexPaths.map(index),
    ...chainRoutes('P', ['', '/rpc'], rpcEndpoint(named('platform', dialect, platform))),
    ...chainRoutes('X', ['', '/rpc'], rpcEndpoint(named('xvm', dialect, xvm))),
    ...chainRoutes('C', ['/rpc'], cChainHandler(createEvmRpc(evmMethods(reader, { mostLogBlocks, proofWindow })))),
    ...chainRoutes('C', [atomicPath[dialect]], rpcEndpoint(named('cx', dialect, cx))),
    { path: '/ext/info', handle: rpcEndpoint(infoMethods(facts)) },
    ...healthRoutes(heads),
  ]
}

/** A chain answers under its alias and under its id, on paths that end in the same ways. */
function chainRoutes(alias: keyof typeof chainTexts, ends: readonly string[], handle: Handler): Route[] {
  return [alias, chainTexts[alias]].flatMap((name) => ends.map((end) => ({ path: `/ext/bc/${name}${end}`, handle })))
}
