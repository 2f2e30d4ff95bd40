import { tables as declaredTables } from '../../schemas/index.ts'
import { openCatalog } from '../catalog/catalog.ts'
import { publishLake } from './publish-lake.ts'

/** What the lake holds: streams with their coverage and gaps, tables with rows and bytes, last runs. */
export async function lakeStatus(lakeDir: string) {
  return (await openCatalog(lakeDir, declaredTables)).status()
}

/** Writes the views, their text and the published catalog anew, as after a move of the lake. Returns the snapshot id. */
export async function republishLake(lakeDir: string): Promise<number> {
  const catalog = await openCatalog(lakeDir, declaredTables)
  await catalog.relocate()
  return publishLake(lakeDir, catalog)
}
