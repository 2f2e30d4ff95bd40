import { pipelines } from '../../pipelines/index.ts'
import { tables as declaredTables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { writersOf } from '../../src/cli/commands/pipeline-description.ts'
import { shippedLists, shippedTables } from '../../src/config/shipped-lists.ts'
import { latestViews } from '../../src/define/index.ts'
import { cliPage, configurationPage, environmentPage, exitCodesPage, metricsPage, pipelinesPage } from './reference.ts'
import { jsonPage, libraryPage } from './source-pages.ts'
import { pageOf, tablesIndex, tablesPage, tablesPages } from './tables.ts'

/** Every document that is generated, completely or in parts. */
export function documents() {
  return [
    cliPage(),
    configurationPage(),
    environmentPage(),
    exitCodesPage(),
    jsonPage(),
    libraryPage(),
    metricsPage(),
    pipelinesPage(),
    ...dictionary(),
  ]
}

/** The pages about tables and views, and their index. */
function dictionary() {
  const tables = [...declaredTables, ...shippedTables()]
  const views = [...derivedViews, ...latestViews(shippedTables())]
  const writers = writersOf([...pipelines, ...shippedLists()])
  const pages = tablesPages.map((page) => {
    const isHere = ({ name }: { readonly name: string }) => pageOf(name) === page
    return tablesPage(page, tables.filter(isHere), views.filter(isHere), writers)
  })
  return [tablesIndex(tables, views), ...pages]
}
