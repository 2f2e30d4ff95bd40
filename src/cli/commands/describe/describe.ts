import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, modulesFlag, ownLakeFlag } from '../../flags/options.ts'
import { fittedTable } from '../../terminal/fitted-table.ts'
import { printJson, printLine } from '../../terminal/output.ts'

export const describeCommand = command({
  name: 'describe',
  usage: 'describe <name>',
  comment: 'Show the columns of a table or view, or the parameters of a pipeline',
  positionals: [{ name: 'name', comment: 'Name of a table, view or pipeline' }],
  examples: [
    { line: 'chainlake describe p_outputs', says: 'the columns of a table' },
    { line: 'chainlake describe rewards', says: 'the parameters of a pipeline' },
  ],
  options: { ...ownLakeFlag, ...jsonFlag, ...modulesFlag, ...commonFlags },
  run: async ({ flags, positionals }) => {
    const [{ describe, loadDeclared }, { pipelineText }] = await Promise.all([
      import('./declared.ts'),
      import('./pipeline-description.ts'),
    ])
    const found = describe(positionals[0] ?? '', await loadDeclared(flags))
    if (flags.json) {
      await printJson(found)
      return 0
    }
    if (found.kind === 'pipeline') {
      await printLine(pipelineText(found, process.stdout.columns))
      return 0
    }
    const rows = found.columns.map(({ name, type, nullable, comment }) => [name, type, nullable ? 'null' : '', comment])
    const facts = [
      `${found.name} (${found.kind}): ${found.comment}`,
      ...(found.key === undefined ? [] : [`key: ${found.key.join(', ')}`]),
      ...(found.partitionBy === undefined ? [] : [`folders: ${found.partitionBy.join(', ') || 'none'}`]),
    ]
    const table = fittedTable(['column', 'type', '', 'meaning'], rows, process.stdout.columns)
    await printLine(`${facts.join('\n')}\n\n${table}`)
    return 0
  },
})
