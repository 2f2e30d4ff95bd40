import { evmChainId } from '../c/state.ts'
import type { Route } from '../http/router.ts'
import { chainTexts, vmTexts } from '../network/genesis.ts'
import { summaryRoutes } from '../summary.ts'
import { evmRoutes } from './evm/routes.ts'
import type { Ledgers } from './ledgers.ts'
import { tpsRoutes } from './metrics.ts'
import { limitControl } from './plumbing/limits.ts'
import { plainRoute, type ServiceRoute, totalsOf, totalsOfRoutes } from './plumbing/route.ts'
import { choice } from './plumbing/rules.ts'
import { createServing, type ServiceOptions, serveRoutes } from './plumbing/serve.ts'
import { primaryRoutes } from './primary/routes/index.ts'
import { signatureRoutes } from './signatures.ts'

/** The REST service for the chains of the simulated network. The data host and the metrics host share a port. */
export function createService(ledgers: Ledgers, options: ServiceOptions): Route[] {
  const serving = createServing(options)
  const { primary, evm, messages } = ledgers
  const ofChains = [...chainRoutes, ...signatureRoutes(messages), ...primaryRoutes(primary)]
  const all: readonly ServiceRoute[] = [...ofChains, ...evmRoutes(evm), ...tpsRoutes(evm)]
  const totals = () => totalsOfRoutes(all, serving.settings.dialect)
  return [
    limitControl(serving.limits),
    ...summaryRoutes(ledgers, totals),
    serveRoutes(
      all.filter(({ past }) => !(past && options.presentOnly === true)),
      serving,
    ),
  ]
}

const features = ['nftIndexing', 'webhooks', 'teleporter'] as const
const networks = ['mainnet', 'fuji', 'testnet'] as const

/** The EVM chains of the simulated network: only the C-Chain. */
const chains = [
  {
    chainId: String(evmChainId),
    status: 'OK',
    chainName: 'C-Chain (local)',
    description: 'The contract chain of the simulated network.',
    platformChainId: chainTexts.C,
    subnetId: chainTexts.P,
    vmId: vmTexts.C,
    vmName: 'EVM',
    explorerUrl: 'http://explorer.invalid/c-chain',
    rpcUrl: 'http://127.0.0.1/ext/bc/C/rpc',
    wsUrl: 'ws://127.0.0.1/ext/bc/C/ws',
    isTestnet: true,
    utilityAddresses: { multicall: '0xca11bde05977b3631167028862be2a173976ca11' },
    networkToken: {
      name: 'Avalanche',
      symbol: 'AVAX',
      decimals: 18,
      logoUri: 'http://images.invalid/avax.png',
      description: 'The native asset of the simulated network.',
    },
    chainLogoUri: 'http://images.invalid/c-chain.png',
    private: false,
    enabledFeatures: ['nftIndexing'] as readonly string[],
  },
]

/** The list of EVM chains (real-service.md, Data API: /chains). It has no pages. */
const chainRoutes: readonly ServiceRoute[] = [
  plainRoute({
    path: '/v1/chains',
    parameters: { network: choice(networks), feature: choice(features) },
    cost: 'free',
    totals: () => ({ rest_evm_chains: totalsOf(chains) }),
    handle: ({ query }) => {
      const shown = chains.filter(({ isTestnet, enabledFeatures }) => {
        return (
          (query.network === undefined || isTestnet === (query.network !== 'mainnet')) &&
          (query.feature === undefined || enabledFeatures.includes(query.feature))
        )
      })
      return { body: { chains: shown } }
    },
  }),
]
