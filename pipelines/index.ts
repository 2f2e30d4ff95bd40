import type { Pipeline } from '../src/define/index.ts'
import { pipelineFiles } from './shared/by-name.ts'

/** Every pipeline in code, in the order of the documentation. */
export const pipelines: readonly Pipeline[] = await Promise.all(Object.values(pipelineFiles).map((load) => load()))
