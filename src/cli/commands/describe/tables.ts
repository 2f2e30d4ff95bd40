import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, modulesFlag } from '../../flags/options.ts'
import { textTable } from '../../terminal/format.ts'
import { printJson, printLine } from '../../terminal/output.ts'

export const tablesCommand = command({
  name: 'tables',
  usage: 'tables',
  comment: 'List all tables and views with their descriptions',
  options: { ...jsonFlag, ...modulesFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ tableList }, { loadPipelines }] = await Promise.all([
      import('./table-list.ts'),
      import('../../jobs/known-pipelines.ts'),
    ])
    const pipelines = await loadPipelines(flags)
    const list = tableList(pipelines)
    if (flags.json) await printJson(list)
    else
      await printLine(
        textTable(
          ['name', 'kind', 'description'],
          list.map((entry) => [entry.name, entry.kind, entry.comment]),
        ),
      )
    return 0
  },
})
