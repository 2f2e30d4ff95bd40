import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { builtInPipelines, configPathOf, type PipelinesOf } from '../settings/settings.ts'
import type { SettingFlags } from '../settings/typed-value.ts'

/** The pipelines that jobs may name: the built-in ones. */
export const knownPipelines: PipelinesOf = (config, flags) => builtInPipelines(config, flags)

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
