import type { Pipeline } from '../src/define/index.ts'
import { pBlocksPipeline } from './p-blocks.ts'

/** Every pipeline, in the order in which documentation lists them. */
export const pipelines: readonly Pipeline[] = [pBlocksPipeline]
