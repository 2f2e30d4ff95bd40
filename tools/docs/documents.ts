import { pipelines } from '../../pipelines/index.ts'
import { tables as declaredTables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { shippedLists, shippedTables } from '../../src/config/shipped-lists.ts'
import { latestViews } from '../../src/define/index.ts'
import { cliPage } from './reference/cli-page.ts'
import { configurationPage } from './reference/configuration-page.ts'
import { environmentPage } from './reference/environment-page.ts'
import { exitCodesPage } from './reference/exit-codes-page.ts'
import { jsonPage } from './reference/json-page.ts'
import { metricsPage } from './reference/metrics-page.ts'
import { pipelinesPage } from './reference/pipelines-page.ts'
import { pageOf, tablesPages } from './tables/pages.ts'
import { tablesIndex } from './tables/tables-index.ts'
import { tablesPage } from './tables/tables-page.ts'
import { writersOf } from './tables/writers.ts'
import type { Document } from './text/markdown.ts'

/** Every document that is generated completely. */
export function documents(): readonly Document[] {
  return [
    cliPage(),
    configurationPage(),
    environmentPage(),
    exitCodesPage(),
    jsonPage(),
    metricsPage(),
    pipelinesPage(),
    ...dictionary(),
  ]
}

/** The pages about tables and views, and their index. */
function dictionary(): Document[] {
  const tables = [...declaredTables, ...shippedTables()]
  const views = [...derivedViews, ...latestViews(shippedTables())]
  const writers = writersOf([...pipelines, ...shippedLists()])
  const pages = tablesPages.map((page) => {
    const isHere = ({ name }: { readonly name: string }) => pageOf(name) === page
    return tablesPage(page, tables.filter(isHere), views.filter(isHere), writers)
  })
  return [tablesIndex(tables, views), ...pages]
}
