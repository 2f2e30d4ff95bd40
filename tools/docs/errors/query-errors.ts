import type { ErrorFacts } from './error-fact.ts'

/** Mistakes in queries and in own pipelines. */
export const queryErrors: ErrorFacts = {
  definition: [2, 'A table or pipeline is declared wrongly.', 'Correct the declaration; the message names it.'],
  'definition.column-id': [
    2,
    'A column has no permanent id, or the name of an earlier column of another type.',
    'Choose another name; for built-in tables run `npm run ids`.',
  ],
  'definition.nullable-key': [
    2,
    'The key of a table of an own pipeline has a nullable column.',
    'Declare the columns of the key without `nullable`.',
  ],
  'definition.reserved-name': [2, 'A pipeline, table or view has a reserved name.', 'Rename it.'],
  'definition.table': [
    2,
    'A stream fills a table that it does not declare.',
    'Add the table to the tables of the stream.',
  ],
  'definition.taken': [2, 'Two pipelines, tables, views or flags have the same name.', 'Rename one of them.'],
  'definition.view': [
    2,
    'The view of an own pipeline does not run on an empty lake.',
    'Correct its SQL or its columns.',
  ],
  'package.missing': [2, 'An optional package is not installed.', 'Install it with the command that the hint shows.'],
  'pipelines.changed': [
    2,
    'A module of own pipelines changed after the command had loaded it.',
    'Start the command again.',
  ],
  'pipelines.failed': [
    1,
    'The code of a module of own pipelines failed.',
    'Correct the module; `--log-level debug` prints the stack.',
  ],
  'pipelines.missing': [
    2,
    'The file of a module does not exist.',
    'Correct the path: in `chainlake.yaml` it is relative to that file.',
  ],
  'pipelines.none': [2, 'A module exports no pipeline.', 'Export what `pipeline()` returns.'],
  'pipelines.typescript': [
    2,
    'This version of Node cannot load TypeScript.',
    'Use Node 22.18 or newer, or compile the module to JavaScript.',
  ],
  'query.empty': [2, 'The query is empty.', 'Give SQL.'],
  'query.failed': [2, 'DuckDB could not run the query.', 'Correct the SQL; the message is that of DuckDB.'],
  'query.no-lake': [
    2,
    'There are no views to query.',
    'Export data with `chainlake run`, or write the views with `chainlake views`.',
  ],
  'query.not-select': [2, 'The query of a list is not one SELECT.', 'Give a single SELECT on the views of the lake.'],
  'query.other-place': [
    2,
    'The views read the files of another folder, because the lake was moved or copied.',
    'Run `chainlake views`.',
  ],
  'query.parquet': [
    2,
    'The answer cannot be written as Parquet.',
    'Give a single SELECT, and cast integers that Parquet would round to text or DECIMAL(38,0).',
  ],
}
