import { pipelines as builtIn } from '../../../pipelines/index.ts'
import { shippedLists } from '../../config/shipped-lists.ts'
import type { Pipeline, PipelineModule } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import { compileLists } from '../../yaml-lists/compile-lists.ts'

/**
 * The pipeline of a task: one of a module that this worker has loaded from the same files, one of chainlake, or a list, which travels with
 * the task as data. Nothing in a task is executed.
 *
 * @throws ConfigError `work.definition`, `work.pipeline`.
 */
export function taskPipeline({ pipeline: name, module, definition }: PipelineName, own: readonly Pipeline[]): Pipeline {
  if (module !== undefined) return ownPipeline(name, module, own)
  const known = [...builtIn, ...shippedLists()].find((each) => each.name === name)
  const found = known ?? (definition === undefined ? undefined : compileLists({ [name]: definition })[0])
  if (found !== undefined) return found
  throw new ConfigError(`This worker does not know the pipeline ${name}.`, {
    code: definition === undefined ? 'work.pipeline' : 'work.definition',
    hint: 'Workers and the command that queues tasks need the same version of chainlake.',
  })
}

function ownPipeline(name: string, queued: PipelineModule, own: readonly Pipeline[]): Pipeline {
  const found = own.find((each) => each.name === name)
  if (found?.module === undefined)
    throw new ConfigError(`This worker has loaded no module with the pipeline ${name}.`, {
      code: 'work.definition',
      details: { pipeline: name, module: queued.path },
      hint: `Start the worker with the module: --pipelines ${queued.path}, or pipelines in its chainlake.yaml.`,
    })
  if (found.module.hash === queued.hash) return found
  throw new ConfigError(`This worker has another version of the module of the pipeline ${name} than the task.`, {
    code: 'work.definition',
    details: {
      pipeline: name,
      module: found.module.path,
      'hash of the worker': found.module.hash,
      'hash of the task': queued.hash,
    },
    hint: 'The module and the files that it imports must be the same on all machines. Copy them, and restart the worker or run the command that queued the task again.',
  })
}
