import { command } from '../../flags/command.ts'
import { asOfFlag, commonFlags, lakeFlag } from '../../flags/options.ts'

export const sqlCommand = command({
  name: 'sql',
  usage: 'sql [query]',
  comment: 'Query the views of the lake with DuckDB; without a query, open a prompt',
  positionals: [{ name: 'query', comment: 'SQL; of several statements the last answer is printed' }],
  examples: [
    { line: 'chainlake sql "from p_daily order by day desc limit 10"', says: 'transactions of the P-Chain by day' },
    { line: 'chainlake sql --format csv --file query.sql > result.csv', says: 'the query of a file, as CSV' },
    { line: 'chainlake sql "from p_stakers" --output stakers.parquet', says: 'an answer as a Parquet file' },
    { line: 'chainlake sql', says: 'a prompt' },
  ],
  options: {
    ...lakeFlag,
    format: {
      type: 'string',
      requiresArg: true,
      describe:
        'Output format: table, line (one value per line), csv, json or parquet [table, or by the name of --output]',
    },
    output: { type: 'string', alias: 'o', requiresArg: true, describe: 'Write the answer to this file' },
    file: { type: 'string', alias: 'f', requiresArg: true, describe: 'Read the query from a file' },
    examples: { type: 'boolean', describe: 'List questions that the views answer' },
    example: { type: 'string', requiresArg: true, describe: 'Print and run the SQL of a question' },
    verify: {
      type: 'boolean',
      describe: 'Check the files that the query reads by checksum, not only by size (slower)',
    },
    ...asOfFlag,
    ...commonFlags,
  },
  run: async ({ flags, positionals }) => (await import('./run-sql.ts')).runSql(positionals[0], flags),
})
