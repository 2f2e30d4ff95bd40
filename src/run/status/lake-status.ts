import { tables as declaredTables } from '../../../schemas/index.ts'
import { lakeExists, openCatalog, type SpendingAccount } from '../../catalog/catalog.ts'
import type { Moment } from '../../catalog/files/as-of.ts'
import { publishLake, publishWhenBehind } from '../publish/publish-lake.ts'

/** What the lake holds: streams with their coverage and gaps, tables with rows and bytes, last runs. */
export async function lakeStatus(lakeDir: string) {
  return (await openCatalog(lakeDir, declaredTables)).status()
}

/** The same with what workers have to do on it; null of a lake that nobody has queued tasks for. */
export async function lakeStatusWithTasks(lakeDir: string) {
  const catalog = await openCatalog(lakeDir, declaredTables)
  return { ...(await catalog.status()), tasks: await catalog.tasks() }
}

/** Publishes what runs and workers have committed, unless that is shown already. */
export async function publishLatest(lakeDir: string, stop: AbortSignal): Promise<void> {
  const catalog = await openCatalog(lakeDir, declaredTables, { stop })
  const { id, release } = await catalog.own()
  try {
    await publishWhenBehind({ lakeDir, catalog, owner: id, stop })
  } finally {
    await release()
  }
}

/** Units of a service that runs on the lake have spent in the last 24 hours; none where there is no lake. */
export async function spentUnits(lakeDir: string, account: SpendingAccount): Promise<number> {
  return (await lakeExists(lakeDir)) ? (await openCatalog(lakeDir, declaredTables)).units.spent(account) : 0
}

/**
 * Writes the views, their text and the published catalog anew, as after a move of the lake; the views, but not the catalog, as of a moment
 * if one is given. Returns the snapshot id. When
 * `stop` is aborted, its reason or `LockedError` is thrown, and the views are as they were.
 */
export async function republishLake(
  lakeDir: string,
  { stop = new AbortController().signal, asOf }: { readonly stop?: AbortSignal; readonly asOf?: Moment } = {},
): Promise<number> {
  const past = asOf === undefined ? undefined : await (await import('./lake-as-of.ts')).filesAsOf(lakeDir, asOf)
  const catalog = await openCatalog(lakeDir, declaredTables, { stop })
  const { id, release } = await catalog.own()
  try {
    await catalog.relocate()
    return await publishLake({ lakeDir, catalog, owner: id, stop }, past)
  } finally {
    await release()
  }
}
