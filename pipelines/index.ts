import type { AnyPipeline, Pipeline, ServicePipeline } from '../src/define/index.ts'
import { cBlocksPipeline } from './c-blocks.ts'
import { pBlocksPipeline } from './p-blocks.ts'
import { xBlocksPipeline } from './x-blocks.ts'
import { xTransactionsPipeline } from './x-transactions.ts'
import { xVerticesPipeline } from './x-vertices.ts'

/** Pipelines over the index of a node. */
export const containerPipelines: readonly Pipeline[] = [
  pBlocksPipeline,
  xBlocksPipeline,
  xTransactionsPipeline,
  xVerticesPipeline,
  cBlocksPipeline,
]

/** Pipelines over the routes of the REST service, its metrics host and its signature aggregator. */
export const servicePipelines: readonly ServicePipeline[] = []

/** Every pipeline, in the order in which documentation lists them. */
export const pipelines: readonly AnyPipeline[] = [...containerPipelines, ...servicePipelines]
