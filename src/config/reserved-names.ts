import { listNames, pipelineFiles } from '../../pipelines/shared/by-name.ts'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'

const pipelineNames = new Set([...Object.keys(pipelineFiles), ...listNames])
const lakeNames = new Set([...tables, ...derivedViews].map(({ name }) => name))
/** What the names of built-in tables begin with, such as `p_` and `rest_`. Tables of one word have no such prefix. `chainlake_lake` is a view. */
const prefixes = new Set(['chainlake_', ...tables.flatMap(({ name }) => /^[a-z]+_/.exec(name) ?? [])])

/** Whether chainlake itself declares a pipeline of this name, in code or as a list in YAML. */
export function isPipelineOfChainlake(name: string): boolean {
  return pipelineNames.has(name)
}

/** Why a pipeline of a user cannot have this name; null for a free name. */
export function pipelineNameMistake(name: string): string | null {
  return isPipelineOfChainlake(name) ? `${name} is a pipeline of chainlake: take another name` : null
}

/** Why a table of a user cannot have this name; null for a free name. Later versions of chainlake may add tables with its prefixes. */
export function tableNameMistake(name: string): string | null {
  if (lakeNames.has(name)) return `${name} is a table or view of chainlake: take another name`
  if (name.endsWith('_latest')) return `${name} ends with _latest, as the views of latest rows do: take another name`
  const prefix = [...prefixes].find((one) => name.startsWith(one))
  return prefix === undefined ? null : `the prefix ${prefix} is reserved for tables of chainlake: take another name`
}
