import type { Pipeline } from '../../define/index.ts'

/** A pipeline with what the user asked of it. */
export type Job = {
  /** Name in chainlake.yaml, or that of the pipeline. */
  readonly name: string
  readonly pipeline: Pipeline
  /** Values of the pipeline's parameters: lists whole, times as Unix seconds. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Whether the rows of a pipeline come from the REST service, its metrics host or its signature aggregator. */
export function readsService({ reads }: Pick<Pipeline, 'reads'>): boolean {
  return reads === 'service'
}

/** How a node is reached: in every command that asks one. */
export type NodeOptions = {
  readonly nodeUrl: string
  /** Requests under way at once; default 4. */
  readonly concurrency?: number
  /**
   * Threads that share a range over containers, heights or blocks; default: one for each 65,536 of them, as many as there are
   * processors and at most four.
   */
  readonly threads?: number
  /** Milliseconds for one request; default that of the transport. */
  readonly requestTimeoutMs?: number
  /** Tries of one request before it fails; default that of the transport. */
  readonly tries?: number
  /** Longest single wait in milliseconds that it can dictate; default that of the transport. */
  readonly maxWaitMs?: number
  /** What the node must call its network, or is taken for when it does not say. */
  readonly networkId?: number
}

export const defaultConcurrency = 4
