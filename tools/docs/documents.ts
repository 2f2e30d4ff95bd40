import { pipelines } from '../../pipelines/index.ts'
import { tables as declaredTables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { writersOf } from '../../src/cli/commands/pipeline-description.ts'
import { shippedLists, shippedTables } from '../../src/config/shipped-lists.ts'
import { latestViews } from '../../src/define/index.ts'
import { filledPages, type Pages } from './markdown.ts'
import { referencePages } from './reference.ts'
import { sourcePages } from './source-pages.ts'
import { pageOf, pathOf, tablesIndex, tablesPage, tablesPages } from './tables.ts'

/** Every document that is generated, completely or in parts. */
export function documents() {
  return filledPages({ ...referencePages, ...sourcePages, ...dictionary() })
}

/** The pages about tables and views, and their index. */
function dictionary(): Pages {
  const tables = [...declaredTables, ...shippedTables()]
  const views = [...derivedViews, ...latestViews(shippedTables())]
  const writers = writersOf([...pipelines, ...shippedLists()])
  const pages = tablesPages.map((page) => {
    const isHere = ({ name }: { readonly name: string }) => pageOf(name) === page
    return [pathOf(page), tablesPage(tables.filter(isHere), views.filter(isHere), writers)]
  })
  return { 'schemas/README.md': tablesIndex(tables, views), ...Object.fromEntries(pages) }
}
