import { listNames, pipelineFiles } from '../../pipelines/shared/by-name.ts'
import type { Pipeline } from '../define/index.ts'
import { ConfigError } from '../errors.ts'

/** Names a pipeline so that every thread of the process finds it. */
export type PipelineName = {
  readonly pipeline: string
  /** The module that exports the pipeline; undefined for a built-in one. */
  readonly module?: Pipeline['module'] | undefined
  /** The list that the pipeline is made of; undefined for other pipelines. */
  readonly definition?: object | undefined
}

/** Whether chainlake itself declares the pipeline, in code or as a list in YAML. */
export async function isBuiltIn(pipeline: Pipeline): Promise<boolean> {
  const { name, definition } = pipeline
  // A list of chainlake.yaml cannot have the name of a list of the package.
  if (definition !== undefined) return listNames.includes(name)
  return Object.hasOwn(pipelineFiles, name) && (await pipelineFiles[name]?.()) === pipeline
}

/** Whether other threads can find the pipeline. They cannot find one of a program, which runs in its own thread. */
export function runsInThreads({ name, module }: Pipeline): boolean {
  return Object.hasOwn(pipelineFiles, name) || module !== undefined
}

/**
 * Finds a pipeline that this process runs, and loads its module in this thread.
 *
 * @throws ConfigError `pipelines.changed` when the module is not what the process has loaded.
 */
export async function findPipeline({ pipeline: name, module }: PipelineName): Promise<Pipeline> {
  if (module === undefined) {
    const load = Object.hasOwn(pipelineFiles, name) ? pipelineFiles[name] : undefined
    if (load === undefined) throw new RangeError(`There is no pipeline ${name}.`)
    return load()
  }
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

const ofThreads = async (): Promise<Record<string, unknown>> => ({
  ...(await import('../library/for-pipelines.ts')),
  ...Object.fromEntries(notInThreads.map((name) => [name, refuse])),
})
