import type { Tracer } from './trace-answers.ts'

/** Every call of a transaction, without its logs. */
export const callTracer: Tracer = { tracer: 'callTracer' }

/** The state that a transaction used. */
export const prestateTracer: Tracer = { tracer: 'prestateTracer' }

/** The state that a transaction changed, before and after it. */
export const stateChangeTracer: Tracer = { ...prestateTracer, tracerConfig: { diffMode: true } }

/** A tracer for which the node may take this many seconds for each transaction; undefined: its default. */
export function tracerWithin(tracer: Tracer, seconds: number | undefined): Tracer {
  return seconds === undefined ? tracer : { ...tracer, timeout: `${seconds}s` }
}
