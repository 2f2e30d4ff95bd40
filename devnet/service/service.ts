import { evmChainId } from '../c/state.ts'
import type { Route } from '../http/router.ts'
import type { Dialect } from '../index/methods.ts'
import { chainTexts, vmTexts } from '../network/genesis.ts'
import { listsOf, summaryAt, summaryRoutes } from '../summary.ts'
import { evmRoutes } from './evm/routes.ts'
import type { Ledgers, ServiceSource } from './ledgers.ts'
import { tpsRoutes } from './metrics.ts'
import type { Host } from './plumbing/error.ts'
import { createLimits, type LimitOptions, limitControl } from './plumbing/limits.ts'
import { createPager, createTokens } from './plumbing/pages.ts'
import { plainRoute, type ServiceRoute, totalsOf, totalsOfRoutes } from './plumbing/route.ts'
import { choice } from './plumbing/rules.ts'
import { serveRoutes } from './plumbing/serve.ts'
import { primaryRoutes } from './primary/routes/index.ts'
import { signatureRoutes } from './signatures.ts'

/** The REST service for the chains of the simulated network. The data host and the metrics host share a port. */
export function createService(source: ServiceSource, ledgers: Ledgers, options: ServiceOptions): Route[] {
  const { limits: limitOptions, lifeMs, tokenEnd, settings, presentOnly } = serviceDefaults(options)
  const limits = createLimits(limitOptions)
  const pager = createPager(createTokens(lifeMs))
  const all = serviceRoutes(ledgers)
  const routes = all.filter(({ past }) => !(past && presentOnly))
  const summary = summaryAt(source, ledgers, () => totalsOfRoutes(all, settings.dialect))
  return [
    limitControl(limits),
    ...summaryRoutes({ summary, lists: listsOf(ledgers) }),
    serveRoutes(routes, { settings, limits, pager, tokenEnd }),
  ]
}

/** All routes of the service (specification 000, part 4). */
function serviceRoutes({ primary, evm, messages }: Ledgers): ServiceRoute[] {
  return [...chainRoutes, ...signatureRoutes(messages), ...primaryRoutes(primary), ...evmRoutes(evm), ...tpsRoutes(evm)]
}

/** How page tokens expire. */
type TokenOptions = {
  /** Lifetime of a token in milliseconds; default 24 hours, as in the specification (000, part 8). */
  readonly lifeMs?: number
  /**
   * What the service does with a token that has expired or belongs to another list: `refuse` returns status 400, `restart` returns the
   * first page. Default: the metrics host restarts, as the specification says, and the data host refuses.
   */
  readonly end?: 'refuse' | 'restart'
}

/** Behaviour of the simulated network's REST service that the specification leaves open. */
export type ServiceOptions = {
  /** Compute units and API keys; default unlimited. */
  readonly service?: LimitOptions
  readonly tokens?: TokenOptions
  /** Whether items exactly at `startTimestamp` and `endTimestamp` are included; default `inclusive`. */
  readonly bounds?: 'inclusive' | 'exclusive'
  readonly dialect?: Dialect
  /** Whether routes that the public service has removed are removed here too; default false. */
  readonly presentOnly?: boolean
}

const day = 86_400_000
const standardEnds = { data: 'refuse', metrics: 'restart' } as const

/** The options with their defaults. */
export function serviceDefaults({
  service = {},
  tokens = {},
  bounds = 'inclusive',
  dialect = 'node',
  presentOnly = false,
}: ServiceOptions) {
  const { lifeMs = day, end } = tokens
  const tokenEnd: Readonly<Record<Host, 'refuse' | 'restart'>> =
    end === undefined ? standardEnds : { data: end, metrics: end }
  return { limits: service, lifeMs, tokenEnd, settings: { dialect, bounds }, presentOnly }
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
