import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, modulesFlag, ownLakeFlag } from '../../flags/options.ts'
import { fittedTable } from '../../terminal/fitted-table.ts'
import { printJson, printLine } from '../../terminal/output.ts'

export const tablesCommand = command({
  name: 'tables',
  usage: 'tables',
  comment: 'List all tables and views with their descriptions',
  examples: [
    { line: 'chainlake tables', says: 'all tables and views' },
    { line: 'chainlake tables --lake output', says: 'rows, newest time and coverage of each table of a lake' },
  ],
  options: { ...ownLakeFlag, ...jsonFlag, ...modulesFlag, ...commonFlags },
  run: async ({ flags }) => {
    const { lakeTablesText, listedInLake, loadDeclared, openNamedLake, tableList } = await import('./declared.ts')
    const declared = await loadDeclared(flags)
    const list = tableList(declared)
    if (flags.lake !== undefined) {
      const listed = listedInLake(list, declared.tables, await (await openNamedLake(flags)).tableExtents())
      if (flags.json) await printJson(listed)
      else await printLine(lakeTablesText(listed, process.stdout.columns))
    } else if (flags.json) await printJson(list)
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
