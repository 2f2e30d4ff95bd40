import type { RpcMethod } from '../http/json-rpc.ts'
import { MethodError, textOf } from '../http/parameters.ts'
import type { EvmLimits } from './evm/methods.ts'
import { vmConfig } from './vm-config.ts'

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
