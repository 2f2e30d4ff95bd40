import { isPipelineOfChainlake } from '../../config/reserved-names.ts'
import type { Unverifiable } from '../lake/finding.ts'
import type { LakeRows } from '../lake/lake-rows.ts'

/** The tables of a network that are not compared with its node because pipelines of users filled them. */
export function withoutCode(
  { inventory }: Pick<LakeRows, 'inventory'>,
  network: string,
  compared: ReadonlySet<string>,
): Unverifiable[] {
  const selected = new Set(inventory.tables.map(({ name }) => name))
  const committed = new Set([...inventory.coverage, ...inventory.written].map(idOf))
  return [...inventory.streams.values()].flatMap(({ stream, pipeline, tables, ...own }) => {
    if (own.network !== network || pipeline === null || isPipelineOfChainlake(pipeline) || compared.has(stream))
      return []
    return tables
      .filter((table) => selected.has(table) && committed.has(idOf({ stream, table })))
      .map((table) => ({ table, stream, reason: reasonOf(pipeline) }))
  })
}

function idOf({ stream, table }: { readonly stream: string; readonly table: string }): string {
  return `${table} ${stream}`
}

function reasonOf(pipeline: string): string {
  return `--node does not compare rows of ${pipeline}, because verify does not load the code of this pipeline. To check them, run it again into another lake (with --pipelines FILE for a module), write a certificate of that lake (verify --certificate), and compare this one with it (verify --against).`
}
