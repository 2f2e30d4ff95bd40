import { tables as builtInTables } from '../../schemas/index.ts'
import { pipelineNameMistake, tableNameMistake } from '../config/reserved-names.ts'
import type { Pipeline, StreamDeclaration, Table, Tables } from '../define/index.ts'
import { DefinitionError } from '../errors.ts'

/** Refuses names that chainlake keeps for its own pipelines and tables, and nullable columns in keys. Throws `DefinitionError`. */
export function checkOwnPipeline(pipeline: Pipeline): void {
  const wrongName = pipelineNameMistake(pipeline.name)
  if (wrongName !== null)
    throw new DefinitionError(`The pipeline ${pipeline.name} has a reserved name.`, {
      code: 'definition.reserved-name',
      hint: sentence(wrongName),
    })
  for (const { name } of pipeline.views) {
    const wrong = tableNameMistake(name)
    if (wrong !== null)
      throw new DefinitionError(`The view ${name} of pipeline ${pipeline.name} has a reserved name.`, {
        code: 'definition.reserved-name',
        hint: sentence(wrong),
      })
  }
  const byName = new Map<string, Table>()
  for (const table of tablesOf(pipeline)) {
    // A pipeline may fill built-in tables as they are.
    if (builtInTables.includes(table)) continue
    checkOwnTable(pipeline, table)
    const other = byName.get(table.name) ?? table
    if (other !== table) throw takenTwice(pipeline, table)
    byName.set(table.name, table)
  }
}

function checkOwnTable(pipeline: Pipeline, { name, key, columns }: Table): void {
  const wrong = tableNameMistake(name)
  if (wrong !== null)
    throw new DefinitionError(`The table ${name} of pipeline ${pipeline.name} has a reserved name.`, {
      code: 'definition.reserved-name',
      hint: sentence(wrong),
    })
  // In SQL null equals nothing, so joins by the key would lose such rows.
  const nullable = key.filter((column) => columns[column]?.nullable)
  if (nullable.length > 0)
    throw new DefinitionError(`The key of the table ${name} of pipeline ${pipeline.name} has a nullable column.`, {
      code: 'definition.nullable-key',
      details: { table: name, columns: nullable.join(', ') },
      hint: 'Declare the columns of the key without nullable, and give a missing value a value of its own, such as an empty text. Or take other columns for the key.',
    })
}

/**
 * Checks the streams of a pipeline that chainlake does not declare itself, before a run requests their rows. They fill tables of the pipeline,
 * or others that depend on the values of the job. Throws `DefinitionError`.
 */
export function checkOwnStreams(pipeline: Pipeline, streams: readonly StreamDeclaration[]): void {
  const declared = new Map(tablesOf(pipeline).map((table) => [table.name, table]))
  const tables = streams.flatMap((stream) => valuesOf(stream.tables))
  for (const table of tables.filter((each) => declared.get(each.name) !== each)) {
    if (declared.has(table.name)) throw takenTwice(pipeline, table)
    if (!builtInTables.includes(table)) checkOwnTable(pipeline, table)
  }
  for (const { stream, tables, walk } of streams) {
    const own = new Set(valuesOf(tables).map(({ name }) => name))
    const outputs = walk.kind === 'range' ? walk.outputs.flatMap((output) => valuesOf(output.tables)) : []
    const other = outputs.find(({ name }) => !own.has(name))
    if (other !== undefined)
      throw new DefinitionError(
        `An output of the stream ${stream.path} fills a table ${other.name} that the stream does not.`,
        {
          code: 'definition.table',
          hint: `Add ${other.name} to the tables of the stream.`,
        },
      )
  }
}

/** All tables that a pipeline declares. */
export function tablesOf({ tables, optional }: Pipeline): Table[] {
  return [tables, ...Object.values(optional)].flatMap(valuesOf)
}

function valuesOf(tables: Tables): Table[] {
  return Object.values(tables)
}

function takenTwice(pipeline: Pipeline, { name }: Table): DefinitionError {
  return new DefinitionError(`Pipeline ${pipeline.name} has two tables named ${name}.`, {
    code: 'definition.taken',
    hint: 'Give each table its own name, or declare it once and use that declaration everywhere.',
  })
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`
}
