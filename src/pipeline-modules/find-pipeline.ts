import { pipelines } from '../../pipelines/index.ts'
import type { Pipeline, PipelineModule } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import type { LoadLibrary } from './running-instance.ts'

/** Names a pipeline so that every thread of the process finds it. */
export type PipelineName = {
  readonly pipeline: string
  /** The module that exports the pipeline; undefined for a built-in one. */
  readonly module?: PipelineModule | undefined
  /** The list that the pipeline is made of; undefined for other pipelines. */
  readonly definition?: object | undefined
}

/** Finds a pipeline of chainlake in code, and no other. */
function builtInPipeline({ pipeline: name }: Pick<PipelineName, 'pipeline'>): Pipeline {
  const found = pipelines.find((each) => each.name === name)
  if (found === undefined) throw new RangeError(`There is no pipeline ${name}.`)
  return found
}

/**
 * Finds a pipeline that this process runs, and loads its module in this thread.
 *
 * @throws ConfigError `pipelines.changed` when the module is not what the process has loaded.
 */
export async function findPipeline({ pipeline: name, module }: PipelineName): Promise<Pipeline> {
  if (module === undefined) return builtInPipeline({ pipeline: name })
  const { loadPipelineModule } = await import('./load-module.ts')
  const { path, hash } = module
  const found = (await loadPipelineModule(path, ofThreads)).find((each) => each.name === name)
  if (found === undefined) throw new RangeError(`The module ${path} exports no pipeline ${name} in this thread.`)
  if (found.module?.hash === hash) return found
  throw new ConfigError(`The module ${path}, or a file that it names, has changed since this command loaded it.`, {
    code: 'pipelines.changed',
    hint: 'Start the command again.',
  })
}

/** The exports of the library that run jobs. Threads do not load their code, which is most of the library. */
export const notInThreads = ['lakeStatus', 'planPipelines', 'republishLake', 'runPipelines'] as const

function refuse(): never {
  throw new RangeError('A module that a command loads defines pipelines. It cannot run them in a thread.')
}

const ofThreads: LoadLibrary = async () => ({
  ...(await import('../library/for-pipelines.ts')),
  ...Object.fromEntries(notInThreads.map((name) => [name, refuse])),
})
