import { tables as builtIn } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { type DerivedView, latestViews, type Table } from '../define/index.ts'
import type { ShownDeclarations } from '../views/publish.ts'

/** The tables of this program, followed by those of a lake that other pipelines declared. */
export function withBuiltIn(ofLake: readonly Table[]): readonly Table[] {
  return [...builtIn, ...ownTables(ofLake)]
}

/**
 * The views of this program, followed by those that follow from the histories of a lake's other tables, and by the views of own pipelines.
 * A view of a table that no run has committed yet is left out.
 */
export function viewsWithBuiltIn(ofLake: readonly Table[], own: readonly DerivedView[]): readonly DerivedView[] {
  const views = [...derivedViews, ...latestViews(ownTables(ofLake))]
  const names = new Set([...withBuiltIn(ofLake), ...views].map(({ name }) => name))
  for (const view of own) {
    if (!view.dependsOn.every((name) => names.has(name))) continue
    names.add(view.name)
    views.push(view)
  }
  return views
}

/** What the views of a lake show: the declarations of this program, and those of own pipelines. */
export function shownIn(ofLake: readonly Table[], ownViews: readonly DerivedView[]): ShownDeclarations {
  const views = viewsWithBuiltIn(ofLake, ownViews)
  const derived = views.filter((view) => !derivedViews.includes(view))
  const tables = ownTables(ofLake)
  const isPlain = tables.length + derived.length === 0
  return { tables: builtIn, derived: derivedViews, ...(isPlain ? {} : { own: { tables, derived } }) }
}

function ownTables(ofLake: readonly Table[]): Table[] {
  const names = new Set(builtIn.map(({ name }) => name))
  return ofLake.filter(({ name }) => !names.has(name))
}

/** The column with the time of a row. Other columns may have times to come, such as the end of a stake. */
export function timeColumnOf({ columns, partitionBy }: Table): string {
  if ('block_time' in columns) return 'block_time'
  if ('observed_at' in columns) return 'observed_at'
  return partitionBy.find(({ transform }) => transform !== 'identity')?.column ?? ''
}
