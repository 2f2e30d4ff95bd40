import type { Catalog } from '../../../catalog/catalog.ts'
import { viewsWithBuiltIn, withBuiltIn } from '../../../declared/lake-tables.ts'
import type { DerivedView, Pipeline, Table } from '../../../define/index.ts'
import { tablesOf } from '../../../pipeline-modules/own-pipeline.ts'
import { loadPipelines } from '../../jobs/known-pipelines.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'

/** What `describe` and `tables` know. */
export type Declared = {
  readonly tables: readonly Table[]
  readonly views: readonly DerivedView[]
  readonly pipelines: readonly Pipeline[]
}

/** The declarations of chainlake and of own pipelines, and with `--lake` those that the lake keeps. */
export async function loadDeclared(flags: SettingFlags & { readonly lake?: string | undefined }): Promise<Declared> {
  const pipelines = await loadPipelines(flags)
  return flags.lake === undefined ? declaredBy(pipelines) : declaredBy(pipelines, await readLake(flags))
}

/** The declarations of chainlake, of these pipelines and of a lake. Those of pipelines come first. */
export function declaredBy(
  pipelines: readonly Pipeline[],
  ofLake: Omit<Declared, 'pipelines'> = { tables: [], views: [] },
): Declared {
  const own = byName([...pipelines.flatMap(tablesOf), ...ofLake.tables])
  const views = byName([...pipelines.flatMap((pipeline) => pipeline.views), ...ofLake.views])
  return { tables: withBuiltIn(own), views: viewsWithBuiltIn(own, views), pipelines }
}

/** The catalog of the lake that `--lake` names. */
export async function openNamedLake(flags: SettingFlags): Promise<Catalog> {
  const { openCatalog } = await import('../../../catalog/catalog.ts')
  const { lake } = await readSettings(flags)
  return openCatalog(lake, [])
}

async function readLake(flags: SettingFlags) {
  const catalog = await openNamedLake(flags)
  return { tables: await catalog.tables(), views: await catalog.views() }
}

/** Of several with one name the first. */
function byName<T extends { readonly name: string }>(all: readonly T[]): T[] {
  return [...new Map(all.toReversed().map((each) => [each.name, each])).values()].toReversed()
}
