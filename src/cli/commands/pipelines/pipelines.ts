import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, modulesFlag } from '../../flags/options.ts'
import { described, textWidth } from '../../terminal/columns.ts'
import { printJson, printLine } from '../../terminal/output.ts'

export const pipelinesCommand = command({
  name: 'pipelines',
  usage: 'pipelines',
  comment: 'List all pipelines: what they read',
  examples: [
    { line: 'chainlake pipelines', says: 'all pipelines' },
    { line: 'chainlake run p-blocks --help', says: 'parameters, tables and examples of one' },
  ],
  options: { ...jsonFlag, ...modulesFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ loadPipelines }, { pipelineGroups }, { describePipeline }] = await Promise.all([
      import('../../jobs/known-pipelines.ts'),
      import('../../jobs/pipeline-groups.ts'),
      import('../describe/pipeline-description.ts'),
    ])
    const pipelines = await loadPipelines(flags)
    if (flags.json) {
      await printJson(pipelines.map((pipeline) => ({ ...describePipeline(pipeline), reads: pipeline.reads })))
      return 0
    }
    const width = textWidth(process.stdout.columns)
    const groups = pipelineGroups.flatMap(({ title, has }) => {
      const entries = pipelines.filter(has).map(({ name, comment }) => [name, comment] as const)
      return entries.length === 0 ? [] : [title.toUpperCase(), ...described(entries, width), '']
    })
    await printLine([...groups, '`chainlake run PIPELINE --help` shows parameters, tables and examples.'].join('\n'))
    return 0
  },
})
