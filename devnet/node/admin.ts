import { MethodError, type RpcMethod, textOf } from '../http/json-rpc.ts'
import type { EvmLimits } from './evm/methods.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'off', 'verbo']

/**
 * The admin methods of the C-Chain (specification 4.2), without the name of their service. Profiles start and stop without writing files,
 * because there is nothing to measure.
 */
export function adminMethods(limits: EvmLimits): Readonly<Record<string, RpcMethod>> {
  let isProfiling = false
  let logLevel = 'info'
  const done = (): string[] => ['{}']
  return {
    startCPUProfiler: () => {
      if (isProfiling) throw new MethodError('cpu profiler already running')
      isProfiling = true
      return done()
    },
    stopCPUProfiler: () => {
      if (!isProfiling) throw new MethodError("cpu profiler doesn't exist")
      isProfiling = false
      return done()
    },
    memoryProfile: done,
    lockProfile: done,
    setLogLevel: (parameters) => {
      const level = textOf(parameters, 'level').toLowerCase()
      if (!levels.includes(level)) {
        throw new MethodError(`failed to parse log level: unknown level: ${textOf(parameters, 'level')}`)
      }
      logLevel = level
      return done()
    },
    getVMConfig: () => [JSON.stringify({ config: vmConfig(limits, logLevel) })],
  }
}

/** The configuration of the EVM as a node shows it: actual settings where the simulation has them, defaults for the rest. */
function vmConfig({ mostLogBlocks, proofWindow }: EvmLimits, logLevel: string): object {
  return {
    'admin-api-enabled': true,
    'admin-api-dir': '',
    'warp-api-enabled': false,
    'eth-apis': ['eth', 'eth-filter', 'net', 'web3'],
    'continuous-profiler-dir': '',
    'continuous-profiler-frequency': '15m0s',
    'continuous-profiler-max-files': 5,
    'rpc-gas-cap': 50_000_000,
    'rpc-tx-fee-cap': 100,
    'trie-clean-cache': 512,
    'snapshot-cache': 256,
    'preimages-enabled': false,
    'pruning-enabled': proofWindow === 32,
    'commit-interval': 4096,
    'historical-proof-query-window': proofWindow,
    'metrics-expensive-enabled': true,
    'local-txs-enabled': false,
    'tx-pool-price-limit': 1,
    'tx-pool-lifetime': '10m0s',
    'api-max-duration': '0s',
    'ws-cpu-refill-rate': '0s',
    'ws-cpu-max-stored': '0s',
    'api-max-blocks-per-request': mostLogBlocks,
    'allow-unfinalized-queries': false,
    'allow-unprotected-txs': false,
    'push-gossip-percent-stake': 0.9,
    'log-level': logLevel,
    'log-json-format': false,
    'state-sync-enabled': null,
    'state-sync-min-blocks': 300_000,
    'accepted-cache-size': 32,
    'transaction-history': 0,
    'skip-tx-indexing': false,
    'batch-request-limit': 1_000,
    'batch-response-max-size': 25_000_000,
    'state-scheme': '',
  }
}
