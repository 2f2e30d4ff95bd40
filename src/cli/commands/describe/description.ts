import { ConfigError } from '../../../errors.ts'
import { suggestion } from '../../terminal/suggest.ts'
import type { Declared } from './declared.ts'
import { describePipeline, type PipelineDescription } from './pipeline-description.ts'
import { type Description, describeTable, tableList } from './table-list.ts'

/**
 * The declaration of a table, view or pipeline. Throws `ConfigError` with the most similar name for an unknown one.
 */
export function describe(name: string, declared: Declared): Description | PipelineDescription {
  const pipeline = declared.pipelines.find((candidate) => candidate.name === name)
  const found = describeTable(name, declared) ?? (pipeline === undefined ? undefined : describePipeline(pipeline))
  if (found !== undefined) return found
  throw new ConfigError(`There is no table, view or pipeline ${JSON.stringify(name)}.`, {
    code: 'config.unknown-table',
    hint: suggestion(name, describedNames(declared)),
  })
}

/** All names that `describe` accepts. */
export function describedNames(declared: Declared): string[] {
  return [...tableList(declared).map(({ name }) => name), ...declared.pipelines.map(({ name }) => name)]
}
