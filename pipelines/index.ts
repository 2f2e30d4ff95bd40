import type { Pipeline } from '../src/define/index.ts'
import { cBlocksPipeline } from './c-blocks.ts'
import { pBlocksPipeline } from './p-blocks.ts'
import { xBlocksPipeline } from './x-blocks.ts'
import { xTransactionsPipeline } from './x-transactions.ts'
import { xVerticesPipeline } from './x-vertices.ts'

/** Every pipeline, in the order in which documentation lists them. */
export const pipelines: readonly Pipeline[] = [
  pBlocksPipeline,
  xBlocksPipeline,
  xTransactionsPipeline,
  xVerticesPipeline,
  cBlocksPipeline,
]
