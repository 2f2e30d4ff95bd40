import { tables as declaredTables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { shippedTables } from '../config/shipped-lists.ts'
import { latestViews } from '../define/index.ts'
import { errorsPage } from './errors/errors-page.ts'
import { pageOf, tablesPages } from './tables/pages.ts'
import { tablesIndex } from './tables/tables-index.ts'
import { tablesPage } from './tables/tables-page.ts'
import type { Document } from './text/markdown.ts'

/** Every document that is generated completely. */
export function documents(): readonly Document[] {
  return [errorsPage(), ...dictionary()]
}

/** The pages about tables and views, and their index. */
function dictionary(): Document[] {
  const tables = [...declaredTables, ...shippedTables()]
  const views = [...derivedViews, ...latestViews(shippedTables())]
  const pages = tablesPages.map((page) => {
    const isHere = ({ name }: { readonly name: string }) => pageOf(name) === page
    return tablesPage(page, tables.filter(isHere), views.filter(isHere))
  })
  return [tablesIndex(tables, views), ...pages]
}
