import type { Catalog } from '../../catalog/catalog.ts'
import type { BrokenView } from '../../declared/verify-views.ts'
import { columnPaths, type DerivedView, type StreamDeclaration, type Table } from '../../define/index.ts'
import { DefinitionError } from '../../errors.ts'
import type { EmitEvent } from '../job/events.ts'
import type { Job } from '../job/job.ts'
import { ownTables } from '../units/own-tables.ts'

/** The views that a run records, and those of the lake that it ends. */
export type OwnViews = { readonly views: readonly DerivedView[]; readonly endedViews: readonly BrokenView[] }

/**
 * The views of the pipelines of jobs, verified over the tables of the lake and of the jobs' streams. Views of the lake that read a column
 * that its table no longer has end: nothing could be published with them.
 *
 * @throws DefinitionError `definition.view`; `definition.taken` for a table with the name of a view of the lake.
 */
export async function ownViews(
  jobs: readonly Job[],
  streams: readonly StreamDeclaration[],
  catalog: Pick<Catalog, 'tables' | 'views'>,
): Promise<OwnViews> {
  const views = [...new Set(jobs.flatMap(({ pipeline }) => pipeline.views))]
  const own = ownTables(streams)
  if (views.length + own.length === 0) return { views, endedViews: [] }
  const [stored, known] = [await catalog.tables(), await catalog.views()]
  refuseViewNames(own, known)
  const kept = known.filter(({ name }) => !views.some((view) => view.name === name))
  const isRead = kept.length > 0 && haveOtherColumns(own, stored)
  if (views.length === 0 && !isRead) return { views, endedViews: [] }
  const others = stored.filter(({ name }) => !own.some((table) => table.name === name))
  // Loaded only for views.
  const { verifyViews } = await import('../../declared/verify-views.ts')
  return { views, endedViews: await verifyViews(views, [...others, ...own], kept) }
}

function refuseViewNames(own: readonly Table[], known: readonly DerivedView[]): void {
  const taken = known.find(({ name }) => own.some((table) => table.name === name))
  if (taken !== undefined)
    throw new DefinitionError(`The lake has a view named ${taken.name}, so no table can have this name.`, {
      code: 'definition.taken',
      hint: 'Give the table another name: the view would hide its rows.',
    })
}

export function reportEndedViews(ended: readonly BrokenView[], emit: EmitEvent): void {
  for (const { name, reason } of ended)
    emit({
      kind: 'warning',
      message: `The view ${name} of an own pipeline does not work any more, so the lake does not show it from now on.`,
      details: { reason },
    })
}

function haveOtherColumns(own: readonly Table[], stored: readonly Table[]): boolean {
  return own.some((table) => {
    const before = stored.find(({ name }) => name === table.name)
    return before !== undefined && columnPaths(before.columns).join() !== columnPaths(table.columns).join()
  })
}
