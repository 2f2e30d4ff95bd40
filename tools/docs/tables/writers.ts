import type { Pipeline, Table } from '../../../src/define/index.ts'

/** A pipeline that fills a table: always, or only with an option. */
export type Writer = { readonly pipeline: string; readonly option: string | null }

/** The pipelines that fill each table, by its name. */
export function writersOf(pipelines: readonly Pipeline[]): Map<string, Writer[]> {
  const writers = new Map<string, Writer[]>()
  const add = (tables: Readonly<Record<string, Table>>, writer: Writer): void => {
    for (const { name } of Object.values(tables)) writers.set(name, [...(writers.get(name) ?? []), writer])
  }
  for (const { name: pipeline, tables, optional } of pipelines) {
    add(tables, { pipeline, option: null })
    for (const [option, more] of Object.entries(optional)) add(more, { pipeline, option })
  }
  return writers
}
