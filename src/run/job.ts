import type { Pipeline, ServicePipeline, Table } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import type { Slice, Stream } from '../model.ts'
import type { NetworkIdentity } from '../sources/node-info.ts'
import { partsOf } from './parts.ts'

/** A pipeline with what the user asked of it. */
export type Job = ContainerJob | ServiceJob

export type ServiceJob = {
  readonly kind: 'service'
  /** Name in chainlake.yaml, or that of the pipeline. */
  readonly name: string
  readonly pipeline: ServicePipeline
  /** Values of the pipeline's parameters: lists whole, times as Unix seconds. */
  readonly values: Readonly<Record<string, unknown>>
}

export type ContainerJob = {
  readonly kind?: 'containers'
  readonly pipeline: Pipeline
  /** Blockchain id of another chain that runs the same virtual machine; the pipeline's own chain when absent. */
  readonly chain?: string
  /** First container index, inclusive; 0 when absent. */
  readonly from?: number
  /** Last container index, exclusive; up to the last accepted one when absent. */
  readonly to?: number
  /** Containers per commit, instead of what the pipeline declares. */
  readonly unit?: number
  /** Optional parts to write too, such as `raw`. */
  readonly options: readonly string[]
}

export function isServiceJob(job: Job): job is ServiceJob {
  return job.kind === 'service'
}

/** Name of a service's job, pipeline of another one. */
export function nameOf(job: Job): string {
  return isServiceJob(job) ? job.name : job.pipeline.name
}

/** How a node is reached: in every command that asks one. */
export type NodeOptions = {
  readonly nodeUrl: string
  /** Requests under way at once; default 4. */
  readonly concurrency?: number
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

/** The chain of a job as paths and streams name it: by its alias where it has one, whichever way it was asked for. */
export function chainOf(job: ContainerJob, identity: NetworkIdentity): string {
  const { chain, pipeline } = job
  if (chain === undefined) return pipeline.source.chain
  const named = identity.chains.find(({ alias, blockchainId }) => alias === chain || blockchainId === chain)?.alias
  if (named === pipeline.source.chain) return named
  if (named === undefined && pipeline.source.instances) return chain
  throw new ConfigError(
    `Pipeline ${pipeline.name} cannot read ${named === undefined ? 'other chains' : `the ${named} chain`}.`,
    {
      code: 'config.chain',
      details: { chain },
      hint: pipeline.source.instances
        ? `Leave --chain out for the ${pipeline.source.chain} chain, or give the id of a chain that runs the same virtual machine.`
        : 'Leave --chain out.',
    },
  )
}

export function streamOf(job: ContainerJob, identity: NetworkIdentity): Stream {
  const path = `${chainOf(job, identity)}/${job.pipeline.source.index}`
  return { network: identity.network, path, parameters: {} }
}

/** The tables that a job writes. */
export function tablesOf(job: ContainerJob): Table[] {
  return partsOf(job.pipeline, job.options).flatMap((part) => Object.values(part.tables) as Table[])
}

/**
 * What a job asks for of a source whose last container is `head`; empty when that lies before `from`. One past the last integer that
 * is exact there is none.
 */
export function wantedSlice(job: ContainerJob, head: number): Slice {
  const from = job.from ?? 0
  return { from, to: Math.max(from, Math.min(job.to ?? head + 1, head + 1, Number.MAX_SAFE_INTEGER)) }
}
