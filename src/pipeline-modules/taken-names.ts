import type { Pipeline } from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import { tablesOf } from './own-pipeline.ts'

/** Refuses a pipeline if another one has its name, or has another table of the same name. Throws `DefinitionError`. */
export function refuseTaken(pipeline: Pipeline, others: readonly Pipeline[]): void {
  const other = others.find(({ name }) => name === pipeline.name)
  if (other !== undefined)
    throw new DefinitionError(`There are two pipelines named ${pipeline.name}.`, {
      code: 'definition.taken',
      details: { first: other.module?.path ?? 'chainlake.yaml', second: pipeline.module?.path },
      hint: 'Rename one of them.',
    })
  const taken = new Map(others.flatMap((each) => tablesOf(each).map((table) => [table.name, { each, table }])))
  for (const table of tablesOf(pipeline)) {
    const found = taken.get(table.name)
    if (found === undefined || found.table === table) continue
    throw new DefinitionError(
      `Two pipelines declare a table named ${table.name}: ${found.each.name} and ${pipeline.name}.`,
      {
        code: 'definition.taken',
        hint: 'Rename one of them. If both pipelines fill the same table, declare it once and import that declaration.',
      },
    )
  }
}
