import { tables as builtIn } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { type DerivedView, latestViews, type Table } from '../define/index.ts'

/** The tables of this program, followed by those of a lake that other pipelines declared. */
export function withBuiltIn(ofLake: readonly Table[]): readonly Table[] {
  return [...builtIn, ...ownTables(ofLake)]
}

/** The views of this program, followed by those that follow from the histories of a lake's other tables. */
export function viewsWithBuiltIn(ofLake: readonly Table[]): readonly DerivedView[] {
  return [...derivedViews, ...latestViews(ownTables(ofLake))]
}

function ownTables(ofLake: readonly Table[]): Table[] {
  const names = new Set(builtIn.map(({ name }) => name))
  return ofLake.filter(({ name }) => !names.has(name))
}
