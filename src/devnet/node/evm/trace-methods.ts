import { MethodError } from '../../http/parameters.ts'
import { type Arguments, blockArgument, hashArgument } from './arguments.ts'
import type { EvmMethods } from './method.ts'
import { acceptedNumber, type EvmReader } from './reader.ts'

/** Traces by the call tracer. As on a node, another tracer is an error of each transaction. */
export function traceMethods({ head, traces, numberOfTransaction }: EvmReader): EvmMethods {
  return {
    debug_traceBlockByNumber: async (args) => {
      const number = acceptedNumber(blockArgument(args, 0, head()), head())
      if (number === 0) throw new MethodError('genesis is not traceable')
      const tracer = tracerOf(args)
      const found = await traces(number)
      return tracer === 'callTracer' ? found : found.map(({ txHash }) => ({ txHash, error: unknownTracer(tracer) }))
    },
    debug_traceTransaction: async (args) => {
      const hash = hashArgument(args, 0)
      const number = await numberOfTransaction(hash)
      if (number === null) throw new MethodError('transaction not found')
      const tracer = tracerOf(args)
      if (tracer !== 'callTracer') throw new MethodError(unknownTracer(tracer))
      return (await traces(number)).find(({ txHash }) => txHash === hash)?.result ?? null
    },
  }
}

function tracerOf([, config]: Arguments): string {
  const { tracer } = (config ?? {}) as { readonly tracer?: unknown }
  if (typeof tracer === 'string') return tracer
  throw new MethodError('the simulated node traces only with a tracer')
}

function unknownTracer(name: string): string {
  return `ReferenceError: ${name} is not defined at <eval>:1:2(0)`
}
