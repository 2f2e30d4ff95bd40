import { command } from '../command.ts'
import { printJson, printLine } from '../output.ts'
import { commonFlags, jsonFlag } from '../settings/options.ts'
import { textTable } from '../texts/format.ts'

export const tablesCommand = command({
  name: 'tables',
  usage: 'tables',
  comment: 'List the tables and views with what a row is',
  options: { ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const { tableList } = await import('../table-list.ts')
    const list = tableList()
    if (flags.json) await printJson(list)
    else
      await printLine(
        textTable(
          ['name', 'kind', 'a row is'],
          list.map((entry) => [entry.name, entry.kind, entry.comment]),
        ),
      )
    return 0
  },
})
