import { defaultCacheDir } from '../cache/cache.ts'
import { type EraName, epochSeconds, timeOf } from '../chain/eras.ts'
import { chainTexts, genesisBlockText, hrp, networkId } from '../chain/genesis.ts'
import { storeUnder } from '../faults/view.ts'
import { rpcEndpoint } from '../http/json-rpc.ts'
import type { DevnetRequest } from '../http/request.ts'
import type { Route } from '../http/router.ts'
import { indexMethods } from '../index/methods.ts'
import { type ContainerStore, memoryStore } from '../index/store.ts'
import type { DevnetOptions } from '../options.ts'
import { type GrowingChain, openGrowingChain } from './growing-store.ts'
import { healthRoutes } from './health.ts'
import { infoMethods, type NetworkFacts } from './info.ts'
import type { DevnetNode } from './node.ts'
import { platformMethods } from './platform.ts'

const defaultBlocks = 5_000
/** The fault `other-chain` shows a chain of at most so many containers. */
const mostOfOther = 20_000

/** A simulated node: generates its chain or opens it, and lets its head grow. */
export async function simulatedNode(options: DevnetOptions): Promise<DevnetNode> {
  const { seed = 1, blocks = defaultBlocks, cacheDir = defaultCacheDir, blockTimeMs, onProgress } = options
  const progress = onProgress === undefined ? {} : { onProgress }
  const chain = await openGrowingChain({ cacheDir, seed, accepted: blocks, ...progress })
  let other: Promise<GrowingChain> | null = null
  const otherChain = async (): Promise<ContainerStore> => {
    other ??= openGrowingChain({ cacheDir, seed: seed + 1, accepted: Math.min(blocks, mostOfOther) })
    return (await other).store
  }
  const timer = blockTimeMs === undefined ? null : setInterval(() => void chain.grow(1).catch(() => {}), blockTimeMs)
  return {
    routes: routesOf(chain, otherChain, seed, options),
    grow: chain.grow,
    close: async () => {
      if (timer !== null) clearInterval(timer)
      await chain.close()
      if (other !== null) await (await other).close()
    },
  }
}

function routesOf(
  { store, chains }: GrowingChain,
  otherChain: () => Promise<ContainerStore>,
  seed: number,
  { dialect = 'node' }: DevnetOptions,
): Route[] {
  const index = (path: string, own: ContainerStore): Route => {
    const view = (request: DevnetRequest) => storeUnder(request.fault, own, otherChain)
    return { path: `/ext/index/${path}`, handle: rpcEndpoint(indexMethods(view, dialect)) }
  }
  const platform = rpcEndpoint(platformMethods({ store, chains }))
  const head = async () => {
    const height = store.count()
    if (height === 0) return { height, id: genesisBlockText(seed) }
    const { id } = JSON.parse((await store.texts(height - 1, height)).toString('latin1')) as { id: string }
    return { height, id }
  }
  return [
    index('P/block', store),
    ...['X/block', 'X/tx', 'X/vtx', 'C/block'].map((path) => index(path, memoryStore([]))),
    { path: '/ext/bc/P', handle: platform },
    { path: `/ext/bc/${chainTexts.P}`, handle: platform },
    { path: '/ext/info', handle: rpcEndpoint(infoMethods(networkFacts())) },
    ...healthRoutes(head),
  ]
}

function networkFacts(): NetworkFacts {
  return { networkId, networkName: hrp, chainIds: chainTexts, upgrades: upgradeTimes() }
}

/** When each upgrade of the simulated network is active, as a node says it. */
function upgradeTimes(): Record<string, string | number> {
  const at = (name: EraName): string => new Date(timeOf(name) * 1000).toISOString().replace('.000Z', 'Z')
  const apricot = at('apricot')
  return {
    apricotPhase1Time: apricot,
    apricotPhase2Time: apricot,
    apricotPhase3Time: apricot,
    apricotPhase4Time: at('apricot4'),
    apricotPhase4MinPChainHeight: 0,
    apricotPhase5Time: at('apricot5'),
    apricotPhasePre6Time: at('apricot5'),
    apricotPhase6Time: at('apricot5'),
    apricotPhasePost6Time: at('apricot5'),
    banffTime: at('banff'),
    cortinaTime: at('cortina'),
    cortinaXChainStopVertexID: chainTexts.P,
    durangoTime: at('durango'),
    etnaTime: at('etna'),
    fortunaTime: at('etna'),
    graniteTime: at('granite'),
    graniteEpochDuration: epochSeconds * 1_000_000_000,
    heliconTime: at('helicon'),
  }
}
