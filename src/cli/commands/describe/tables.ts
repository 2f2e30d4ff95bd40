import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, modulesFlag, ownLakeFlag } from '../../flags/options.ts'
import { fittedTable } from '../../terminal/fitted-table.ts'
import { printJson, printLine } from '../../terminal/output.ts'

export const tablesCommand = command({
  name: 'tables',
  usage: 'tables',
  comment: 'List all tables and views with their descriptions',
  examples: [{ line: 'chainlake tables', says: 'all tables and views' }],
  options: { ...ownLakeFlag, ...jsonFlag, ...modulesFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ tableList }, { loadDeclared }] = await Promise.all([import('./table-list.ts'), import('./declared.ts')])
    const list = tableList(await loadDeclared(flags))
    if (flags.json) await printJson(list)
    else
      await printLine(
        fittedTable(
          ['name', 'kind', 'description'],
          list.map((entry) => [entry.name, entry.kind, entry.comment]),
          process.stdout.columns,
        ),
      )
    return 0
  },
})
