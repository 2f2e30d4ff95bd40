import { pipelines } from '../../pipelines/index.ts'
import type { Pipeline } from '../define/index.ts'

/** Names a pipeline so that every thread of the process finds it. */
export type PipelineName = {
  readonly pipeline: string
  /** Absolute path of the module that exports the pipeline; undefined for a built-in one. */
  readonly module?: string | undefined
  /** The list that the pipeline is made of; undefined for other pipelines. */
  readonly definition?: object | undefined
}

/** Finds a pipeline of chainlake, and no other. Names from a queue are only looked up here, so that they execute no file. */
export function builtInPipeline({ pipeline: name }: Pick<PipelineName, 'pipeline'>): Pipeline {
  const found = pipelines.find((each) => each.name === name)
  if (found === undefined) throw new RangeError(`There is no pipeline ${name}.`)
  return found
}

/** Finds a pipeline that this process runs, and loads its module in this thread. */
export async function findPipeline({ pipeline: name, module }: PipelineName): Promise<Pipeline> {
  if (module === undefined) return builtInPipeline({ pipeline: name })
  const { loadPipelineModule } = await import('./load-module.ts')
  const found = (await loadPipelineModule(module)).find((each) => each.name === name)
  if (found === undefined) throw new RangeError(`The module ${module} exports no pipeline ${name} in this thread.`)
  return found
}
