import type { Pipeline } from '../../../define/index.ts'
import { ConfigError } from '../../../errors.ts'
import { suggestion } from '../../terminal/suggest.ts'
import { describePipeline, type PipelineDescription } from './pipeline-description.ts'
import { type Description, describeTable, tableList } from './table-list.ts'

/**
 * The declaration of a view, or of a pipeline or table among these pipelines. Throws `ConfigError` with the most similar name for an unknown
 * one.
 */
export function describe(name: string, pipelines: readonly Pipeline[]): Description | PipelineDescription {
  const pipeline = pipelines.find((candidate) => candidate.name === name)
  const found = describeTable(name, pipelines) ?? (pipeline === undefined ? undefined : describePipeline(pipeline))
  if (found !== undefined) return found
  throw new ConfigError(`There is no table, view or pipeline ${JSON.stringify(name)}.`, {
    code: 'config.unknown-table',
    hint: suggestion(name, describedNames(pipelines)),
  })
}

/** All names that `describe` accepts. */
export function describedNames(pipelines: readonly Pipeline[]): string[] {
  return [...tableList(pipelines).map(({ name }) => name), ...pipelines.map(({ name }) => name)]
}
