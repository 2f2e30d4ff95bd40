import type { YamlDocument } from '../../config/yaml-document.ts'
import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { builtInPipelines, configPathOf, type PipelinesOf } from '../settings/settings.ts'
import type { SettingFlags } from '../settings/typed-value.ts'

/** The pipelines that jobs may name: the built-in ones, and the lists of chainlake.yaml. */
export const knownPipelines: PipelinesOf = async (config, flags) => {
  const { pipelines, mistakes } = await builtInPipelines(config, flags)
  return { pipelines: [...pipelines, ...(await listsOf(config))], mistakes }
}

/** The lists without mistakes. The schema of the configuration reports the mistakes of the others. */
async function listsOf(config: YamlDocument | null): Promise<readonly Pipeline[]> {
  const lists = config?.get(['lists'])
  if (config === null || lists === undefined) return []
  const { compileLists } = await import('../../yaml-lists/compile-lists.ts')
  return compileLists((config.value as { readonly lists: unknown }).lists)
}

/**
 * The known pipelines for a command that needs no valid configuration, such as one that describes a pipeline. Of a file that cannot be read
 * only the built-in ones: commands that run jobs report the mistake.
 */
export async function loadPipelines(flags: SettingFlags): Promise<readonly Pipeline[]> {
  const path = configPathOf(flags)
  const { readConfigText } = await import('../../config/read-config.ts')
  try {
    const config = path === null ? null : await readConfigText(path, process.env)
    return (await knownPipelines(config, flags)).pipelines
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return (await builtInPipelines(null, flags)).pipelines
  }
}
