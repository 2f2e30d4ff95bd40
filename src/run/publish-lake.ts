import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { reachStep } from '../lib/step.ts'
import { publishViews } from '../views/publish.ts'
import { publishedSnapshot } from '../views/published-snapshot.ts'

/**
 * Makes `lake.ducklake`, `lake.duckdb` and `views.sql` show the latest snapshot; returns its id. Two runs that publish at
 * once may finish in either order, so it looks again afterwards and publishes anew when an older one came last.
 */
export async function publishLake(lakeDir: string, catalog: Catalog): Promise<number> {
  for (;;) {
    reachStep('publish.before')
    await catalog.publishCopy()
    const files = await catalog.files()
    await publishViews({ lakeDir, files, tables, derived: derivedViews })
    const published = await publishedSnapshot(lakeDir)
    if (published !== null && published >= (await catalog.snapshotId())) return published
  }
}

/** Publishes only when the analysts' file is behind the catalog; null when it was not. */
export async function publishWhenBehind(lakeDir: string, catalog: Catalog): Promise<number | null> {
  const published = await publishedSnapshot(lakeDir)
  return published !== null && published >= (await catalog.snapshotId()) ? null : publishLake(lakeDir, catalog)
}
