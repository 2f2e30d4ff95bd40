import { command } from '../command.ts'
import { textTable } from '../format.ts'
import { commonFlags, jsonFlag } from '../options.ts'
import { printJson, printLine } from '../output.ts'

export const describeCommand = command({
  name: 'describe',
  usage: 'describe <table>',
  comment: 'Show the columns of a table or view',
  positionals: [{ name: 'table', comment: 'Name of a table or view' }],
  options: { ...jsonFlag, ...commonFlags },
  run: async ({ flags, positionals }) => {
    const { describe } = await import('../table-list.ts')
    const found = describe(positionals[0] ?? '')
    if (flags.json) {
      await printJson(found)
      return 0
    }
    await printLine(`${found.name}: ${found.comment}`)
    if (found.key !== undefined) await printLine(`key: ${found.key.join(', ')}`)
    if (found.partitionBy !== undefined) await printLine(`folders: ${found.partitionBy.join(', ')}`)
    const rows = (found.columns ?? []).map(({ name, type, nullable, comment }) => [
      name,
      type,
      nullable ? 'yes' : '',
      comment,
    ])
    if (rows.length > 0) await printLine(`\n${textTable(['column', 'type', 'null', 'meaning'], rows)}`)
    return 0
  },
})
