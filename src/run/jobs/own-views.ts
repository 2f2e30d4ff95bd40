import type { Catalog } from '../../catalog/catalog.ts'
import type { DerivedView, StreamDeclaration } from '../../define/index.ts'
import type { Job } from '../job/job.ts'
import { ownTables } from '../units/own-tables.ts'

/**
 * The views of the pipelines of jobs, verified over the tables of the lake and of the jobs' streams.
 *
 * @throws DefinitionError `definition.view`
 */
export async function ownViews(
  jobs: readonly Job[],
  streams: readonly StreamDeclaration[],
  catalog: Pick<Catalog, 'tables'>,
): Promise<DerivedView[]> {
  const views = [...new Set(jobs.flatMap(({ pipeline }) => pipeline.views))]
  if (views.length === 0) return views
  const own = ownTables(streams)
  const others = (await catalog.tables()).filter(({ name }) => !own.some((table) => table.name === name))
  // Loaded only for pipelines with views.
  const { verifyViews } = await import('../../declared/verify-views.ts')
  await verifyViews(views, [...others, ...own])
  return views
}
