import { MethodError } from '../../http/parameters.ts'
import { touchedState } from '../../service/evm/touched-state.ts'
import { type Arguments, blockArgument, hashArgument } from './arguments.ts'
import type { EvmMethods } from './method.ts'
import { prestateJson, stateDiffJson } from './prestate-json.ts'
import { acceptedNumber, type EvmReader } from './reader.ts'

/** Traces by the call tracer and the prestate tracer. As on a node, another tracer is an error of each transaction. */
export function traceMethods({ head, state, traces, numberOfTransaction }: EvmReader): EvmMethods {
  /** The results of a tracer for the transactions of a block; null for an unknown tracer. */
  const resultsOf = async (number: number, { tracer, diffMode }: TracerConfig) => {
    if (tracer === 'callTracer') return await traces(number)
    if (tracer !== 'prestateTracer') return null
    return touchedState(await state(), number).map(diffMode ? stateDiffJson : prestateJson)
  }
  return {
    debug_traceBlockByNumber: async (args) => {
      const number = acceptedNumber(blockArgument(args, 0, head()), head())
      if (number === 0) throw new MethodError('genesis is not traceable')
      const config = configOf(args)
      const failed = async () =>
        (await traces(number)).map(({ txHash }) => ({ txHash, error: unknownTracer(config.tracer) }))
      return (await resultsOf(number, config)) ?? (await failed())
    },
    debug_traceTransaction: async (args) => {
      const hash = hashArgument(args, 0)
      const number = await numberOfTransaction(hash)
      if (number === null) throw new MethodError('transaction not found')
      const config = configOf(args)
      const found = await resultsOf(number, config)
      if (found === null) throw new MethodError(unknownTracer(config.tracer))
      return found.find(({ txHash }) => txHash === hash)?.result ?? null
    },
  }
}

type TracerConfig = { readonly tracer: string; readonly diffMode: boolean }

function configOf([, config]: Arguments): TracerConfig {
  const { tracer, tracerConfig } = (config ?? {}) as {
    readonly tracer?: unknown
    readonly tracerConfig?: { readonly diffMode?: unknown }
  }
  if (typeof tracer === 'string') return { tracer, diffMode: tracerConfig?.diffMode === true }
  throw new MethodError('the simulated node traces only with a tracer')
}

function unknownTracer(name: string): string {
  return `ReferenceError: ${name} is not defined at <eval>:1:2(0)`
}
