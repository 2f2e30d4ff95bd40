import { command } from '../../flags/command.ts'
import { asOfFlag, commonFlags, lakeFlag } from '../../flags/options.ts'

export const sqlCommand = command({
  name: 'sql',
  usage: 'sql [query]',
  comment: 'Query the views of the lake with DuckDB; a prompt without a query',
  positionals: [{ name: 'query', comment: 'SQL; several statements show the answer of the last' }],
  options: {
    ...lakeFlag,
    format: { type: 'string', requiresArg: true, describe: 'table, csv or json [table]' },
    file: { type: 'string', alias: 'f', requiresArg: true, describe: 'Read the query from a file' },
    verify: {
      type: 'boolean',
      describe: 'Compare the checksums of the files that the query reads, not only their sizes; slower',
    },
    ...asOfFlag,
    ...commonFlags,
  },
  run: async ({ flags, positionals }) => (await import('./run-sql.ts')).runSql(positionals[0], flags),
})
