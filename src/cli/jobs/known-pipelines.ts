import { dirname, resolve } from 'node:path'
import type { Mistake } from '../../config/mistake.ts'
import type { KnownPipelines } from '../../config/read-config.ts'
import type { YamlDocument } from '../../config/yaml-document.ts'
import type { Pipeline } from '../../define/index.ts'
import { ChainlakeError, ConfigError } from '../../errors.ts'
import { builtInPipelines, configPathOf, type PipelinesOf } from '../settings/settings.ts'
import type { SettingFlags } from '../settings/typed-value.ts'

/**
 * The pipelines that jobs may name: the built-in ones, the lists of the package and of chainlake.yaml, and those of modules, which it
 * executes unless `--no-modules` is given.
 */
export const knownPipelines: PipelinesOf = async (config, flags) => {
  const { shippedLists } = await import('../../config/shipped-lists.ts')
  const known = [...(await builtInPipelines()), ...shippedLists(), ...(await listsOf(config))]
  const paths = flags['no-modules'] === true ? [] : modulePaths(config, flags)
  if (paths.length === 0) return { pipelines: known, mistakes: [] }
  return withModules(known, paths)
}

/** The lists without mistakes. The schema of the configuration reports the mistakes of the others. */
async function listsOf(config: YamlDocument | null): Promise<readonly Pipeline[]> {
  const lists = config?.get(['lists'])
  if (config === null || lists === undefined) return []
  const { compileLists } = await import('../../yaml-lists/compile-lists.ts')
  return compileLists((config.value as { readonly lists: unknown }).lists)
}

/** The path of a module, and the mistake of chainlake.yaml that an error in it is; an error in a module of `--pipelines` is thrown. */
type ModulePath = { readonly path: string; readonly mistakeOf: (error: ChainlakeError) => Mistake }

/** The modules of `pipelines` in chainlake.yaml, and those of `--pipelines`. The schema of the configuration reports what is no path. */
function modulePaths(config: YamlDocument | null, flags: SettingFlags): ModulePath[] {
  const written = (config?.value as { readonly pipelines?: unknown } | null | undefined)?.pipelines
  const folder = dirname(configPathOf(flags) ?? '.')
  const ofConfig = (Array.isArray(written) ? written : []).flatMap((text: unknown, position) => {
    if (config === null || typeof text !== 'string') return []
    const path = ['pipelines', position]
    const at = { path, place: config.placeOf(path) }
    return [
      {
        path: resolve(folder, text),
        mistakeOf: (error: ChainlakeError) => ({ ...at, error: placed(error, config.at(path)) }),
      },
    ]
  })
  const typed = typeof flags['pipelines'] === 'string' ? flags['pipelines'].split(',') : []
  const ofFlag = typed.map((text) => ({
    path: resolve(text.trim()),
    mistakeOf: (error: ChainlakeError): never => {
      throw error
    },
  }))
  return [...new Map([...ofFlag, ...ofConfig].map((module) => [module.path, module])).values()]
}

function placed({ message, code, details, hint }: ChainlakeError, at: string): ConfigError {
  return new ConfigError(`${at}: ${message}`, { code, details, ...(hint === undefined ? {} : { hint }) })
}

/** Loads the modules one after another, so that of two pipelines or tables with the same name the later one is the mistake. */
async function withModules(known: readonly Pipeline[], modules: readonly ModulePath[]): Promise<KnownPipelines> {
  const [{ loadPipelineModule }, { refuseTaken }] = await Promise.all([
    import('../../pipeline-modules/load-module.ts'),
    import('../../pipeline-modules/taken-names.ts'),
  ])
  const pipelines = [...known]
  const mistakes: Mistake[] = []
  for (const { path, mistakeOf } of modules)
    try {
      for (const pipeline of await loadPipelineModule(path, () => import('../../index.ts'))) {
        refuseTaken(pipeline, pipelines)
        pipelines.push(pipeline)
      }
    } catch (error) {
      if (!(error instanceof ChainlakeError)) throw error
      mistakes.push(mistakeOf(error))
    }
  return { pipelines, mistakes }
}

/**
 * The known pipelines for a command that needs no valid configuration, such as one that describes a pipeline. Of a file that cannot be read
 * only the built-in ones and those of `--pipelines`: commands that run jobs report the mistake. Throws the first mistake in a module.
 */
export async function loadPipelines(flags: SettingFlags): Promise<readonly Pipeline[]> {
  const { pipelines, mistakes } = await knownPipelines(await readableConfig(flags), flags)
  const [wrong] = mistakes
  if (wrong !== undefined) throw wrong.error
  return pipelines
}

async function readableConfig(flags: SettingFlags): Promise<YamlDocument | null> {
  const path = configPathOf(flags)
  if (path === null) return null
  const { readConfigText } = await import('../../config/read-config.ts')
  try {
    return await readConfigText(path, process.env)
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}
