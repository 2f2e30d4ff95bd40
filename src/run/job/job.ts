import type { Pipeline } from '../../define/index.ts'

/** A pipeline with the values of its parameters. */
export type Job = {
  /** Name in chainlake.yaml, or that of the pipeline. */
  readonly name: string
  readonly pipeline: Pipeline
  /** Values of the pipeline's parameters: complete lists, times in Unix seconds. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Whether the rows of a pipeline come from the REST service, its metrics host or its signature aggregator. */
export function readsService({ reads }: Pick<Pipeline, 'reads'>): boolean {
  return reads === 'service'
}

/** Whether the rows of a pipeline come from nodes. */
export function readsNode({ reads }: Pick<Pipeline, 'reads'>): boolean {
  return reads === 'node'
}

/** Connection settings of a node, for every command that uses one. */
export type NodeOptions = {
  readonly nodeUrl: string
  /** Maximum number of concurrent requests; default 4. */
  readonly concurrency?: number
  /**
   * Threads that share a range of containers, heights or blocks. Default: one per 65,536 coordinates, at most one per processor and at
   * most four.
   */
  readonly threads?: number
  /** Timeout of one request in milliseconds. Default: that of the transport. */
  readonly requestTimeoutMs?: number
  /** Attempts of one request before it fails. Default: that of the transport. */
  readonly tries?: number
  /** How long refused connections of an endpoint are retried before its first answer, in milliseconds. Default: as long as tries are left. */
  readonly firstContactMs?: number
  /** Longest wait in milliseconds that the node may request. Default: that of the transport. */
  readonly maxWaitMs?: number
  /** The network id that the node must report, and that is assumed when the node reports none. */
  readonly networkId?: number
}

export const defaultConcurrency = 4
