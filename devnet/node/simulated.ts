import { defaultCacheDir } from '../chains/cache.ts'
import { type GrowingNetwork, openGrowingNetwork } from '../chains/growing-network.ts'
import { type IndexPath, indexPaths } from '../chains/network.ts'
import { rpcEndpoint } from '../http/json-rpc.ts'
import type { DevnetRequest, Route } from '../http/router.ts'
import { type Dialect, indexMethods } from '../index/methods.ts'
import { headOf, storeFrom, storeUnder } from '../index/store.ts'
import { chainTexts, hrp, networkId } from '../network/genesis.ts'
import { genesisBlockText } from '../p/chain.ts'
import { createLedgers } from '../service/ledgers.ts'
import { createService } from '../service/service.ts'
import { otherChains } from '../x/other-chains.ts'
import { chainsOf } from './chains.ts'
import { healthRoutes } from './health.ts'
import { infoMethods, upgradeTimes } from './info.ts'
import type { DevnetNode, DevnetOptions } from './node.ts'

const defaultBlocks = 5_000
/** The largest number of containers per chain that the fault `other-chain` shows. */
const mostOfOther = 20_000

/** A simulated node: generates or opens its network and lets the heads grow. */
export async function simulatedNode(options: DevnetOptions): Promise<DevnetNode> {
  const {
    seed = 1,
    blocks = defaultBlocks,
    legacy = false,
    assetChains = false,
    indexFrom = 1,
    cacheDir = defaultCacheDir,
    blockTimeMs,
    onProgress,
    dialect = 'node',
    mostLogBlocks = 2_048,
    proofWindow = 32,
  } = options
  const progress = onProgress === undefined ? {} : { onProgress }
  const network = await openGrowingNetwork({ cacheDir, seed, legacy, accepted: blocks, ...progress })
  let other: Promise<GrowingNetwork> | null = null
  const otherNetwork = (): Promise<GrowingNetwork> => {
    other ??= openGrowingNetwork({ cacheDir, seed: seed + 1, legacy, accepted: Math.min(blocks, mostOfOther) })
    return other
  }
  const source = { stores: network.stores, seed }
  const ledgers = createLedgers(source)
  const timer = blockTimeMs === undefined ? null : setInterval(() => void network.grow(1).catch(() => {}), blockTimeMs)
  const chains = chainsOf({
    network,
    other: otherNetwork,
    ledgers,
    seed,
    dialect,
    limits: { mostLogBlocks, proofWindow },
    others: assetChains ? otherChains(seed) : [],
  })
  return {
    routes: [
      ...routesOf(network, otherNetwork, { seed, dialect, indexFrom }),
      ...chains.routes,
      ...createService(source, ledgers, options),
    ],
    sockets: chains.sockets,
    grow: network.grow,
    close: async () => {
      if (timer !== null) clearInterval(timer)
      await network.close()
      if (other !== null) await (await other).close()
    },
  }
}

function routesOf(
  { stores }: GrowingNetwork,
  other: () => Promise<GrowingNetwork>,
  { seed, dialect, indexFrom }: { readonly seed: number; readonly dialect: Dialect; readonly indexFrom: number },
): Route[] {
  const index = (path: IndexPath): Route => {
    const first = path.endsWith('/block') ? indexFrom - 1 : 0
    const view = async (request: DevnetRequest) =>
      storeFrom(await storeUnder(request.fault, stores[path], async () => (await other()).stores[path]), first)
    return { path: `/ext/index/${path}`, handle: rpcEndpoint(indexMethods(view, dialect)) }
  }
  const heads = async () => ({
    P: await headOf(stores['P/block'], genesisBlockText(seed)),
    X: await headOf(stores['X/block'], chainTexts.X),
    C: await headOf(stores['C/block'], chainTexts.C),
  })
  const facts = { networkId, networkName: hrp, chainIds: chainTexts, upgrades: upgradeTimes() }
  return [
    ...indexPaths.map(index),
    { path: '/ext/info', handle: rpcEndpoint(infoMethods(facts)) },
    ...healthRoutes(heads),
  ]
}
