import { dirname, resolve } from 'node:path'
import { listNames, pipelineFiles } from '../../../pipelines/shared/by-name.ts'
import type { Mistake, YamlDocument } from '../../config/read-config.ts'
import type { Pipeline } from '../../define/index.ts'
import { ChainlakeError, ConfigError } from '../../errors.ts'
import { namesLike, suggestion } from '../../lib/suggestion.ts'
import {
  builtInPipelines,
  configPathOf,
  type PipelinesOf,
  placed,
  type SettingFlags,
  whenWrongInput,
} from '../settings.ts'

/**
 * The pipelines that jobs may name: the built-in ones, the lists of the package and of chainlake.yaml, and those of modules, which it
 * executes unless `--no-modules` is given.
 */
export const knownPipelines: PipelinesOf = async (config, flags) => withOwn(await allOfChainlake(), config, flags)

/**
 * The same for a command line with these words, and commands with these flags: of chainlake's own pipelines only those that the words and
 * the jobs of chainlake.yaml name. All of them where that does not suffice, so that an error can say what is known.
 */
export function pipelinesFor(words: readonly string[], commandFlags: ReadonlySet<string>): PipelinesOf {
  return async (config, flags) => {
    const named = [...words.filter(isOfChainlake), ...jobPipelines(config)]
    const found = await Promise.all(named.map(loadNamed))
    const isKnown = (flag: string) =>
      commandFlags.has(flag) || found.some((each) => each !== null && Object.hasOwn(each.parameters, flag))
    const suffices = named.length > 0 && !found.includes(null) && flagsIn(words).every(isKnown)
    const ofChainlake = suffices ? new Set(found.flatMap((each) => each ?? [])) : await allOfChainlake()
    return withOwn([...ofChainlake], config, flags)
  }
}

/** The pipelines that come with the package, in code and as lists in YAML. */
export async function allOfChainlake(): Promise<readonly Pipeline[]> {
  const { shippedLists } = await import('../../config/shipped-lists.ts')
  return [...(await builtInPipelines()), ...shippedLists()]
}

function isOfChainlake(name: string): boolean {
  return Object.hasOwn(pipelineFiles, name) || listNames.includes(name)
}

async function loadNamed(name: unknown): Promise<Pipeline | null> {
  if (typeof name !== 'string' || !isOfChainlake(name)) return null
  if (!listNames.includes(name)) return (await pipelineFiles[name]?.()) ?? null
  const { shippedLists } = await import('../../config/shipped-lists.ts')
  return shippedLists().find((list) => list.name === name) ?? null
}

/** What the jobs of chainlake.yaml name as their pipelines. The schema of the configuration reports what is no name. */
function jobPipelines(config: YamlDocument | null): unknown[] {
  const { jobs } = (config?.value ?? {}) as { readonly jobs?: object }
  return Object.values(jobs ?? {}).map((job: { readonly pipeline?: unknown } | null) => job?.pipeline)
}

function flagsIn(words: readonly string[]): string[] {
  return words.flatMap((word) => /^--([^=]*)/.exec(word)?.[1] ?? [])
}

/** The pipelines of chainlake together with those of chainlake.yaml and of modules. */
async function withOwn(ofChainlake: readonly Pipeline[], config: YamlDocument | null, flags: SettingFlags) {
  const known = [...ofChainlake, ...(await listsOf(config))]
  const paths = flags['no-modules'] === true ? [] : modulePaths(config, flags)
  if (paths.length === 0) return { pipelines: known, mistakes: [] }
  return withModules(known, paths, config)
}

/** The lists without mistakes. The schema of the configuration reports the mistakes of the others. */
async function listsOf(config: YamlDocument | null): Promise<readonly Pipeline[]> {
  const lists = config?.get(['lists'])
  if (config === null || lists === undefined) return []
  const { compileLists } = await import('../../yaml-lists/check-list.ts')
  return compileLists((config.value as { readonly lists: unknown }).lists)
}

/** The path of a module, and where chainlake.yaml names it; null for one of `--pipelines`. */
type ModulePath = { readonly path: string; readonly at: readonly PropertyKey[] | null }

/** The modules of `pipelines` in chainlake.yaml, and those of `--pipelines`. The schema of the configuration reports what is no path. */
function modulePaths(config: YamlDocument | null, flags: SettingFlags): ModulePath[] {
  const written = (config?.value as { readonly pipelines?: unknown } | null | undefined)?.pipelines
  const folder = dirname(configPathOf(flags) ?? '.')
  const ofConfig = (Array.isArray(written) ? written : []).flatMap((text: unknown, position) =>
    typeof text === 'string' ? [{ path: resolve(folder, text), at: ['pipelines', position] }] : [],
  )
  const typed = typeof flags['pipelines'] === 'string' ? flags['pipelines'].split(',') : []
  const ofFlag = typed.map((text) => ({ path: resolve(text.trim()), at: null }))
  return [...new Map([...ofFlag, ...ofConfig].map((module) => [module.path, module])).values()]
}

/**
 * Loads the modules one after another, so that of two pipelines or tables with the same name the later one is the mistake. Throws an error in a
 * module of `--pipelines`.
 */
async function withModules(known: readonly Pipeline[], modules: readonly ModulePath[], config: YamlDocument | null) {
  const { loadPipelineModule, refuseTaken } = await import('../../pipeline-modules/load-module.ts')
  const pipelines = [...known]
  const mistakes: Mistake[] = []
  for (const { path, at } of modules)
    try {
      for (const pipeline of await loadPipelineModule(path, () => import('../../index.ts'))) {
        refuseTaken(pipeline, pipelines)
        pipelines.push(pipeline)
      }
    } catch (error) {
      if (!(error instanceof ChainlakeError) || config === null || at === null) throw error
      mistakes.push({ path: at, place: config.placeOf(at), error: placed(config.at(at), error) })
    }
  return { pipelines, mistakes }
}

/**
 * The known pipelines for a command that needs no valid configuration, such as one that describes a pipeline. Of a file that cannot be read
 * only the built-in ones and those of `--pipelines`: commands that run jobs report the mistake. Throws the first mistake in a module.
 */
export async function loadPipelines(
  flags: SettingFlags,
  pipelinesOf: PipelinesOf = knownPipelines,
): Promise<readonly Pipeline[]> {
  const path = configPathOf(flags)
  const config = path === null ? null : await readConfig(path).catch(whenWrongInput(null))
  const { pipelines, mistakes } = await pipelinesOf(config, flags)
  const [wrong] = mistakes
  if (wrong !== undefined) throw wrong.error
  return pipelines
}

/** Loaded only where there is a file, since YAML takes a while. */
async function readConfig(path: string): Promise<YamlDocument> {
  return (await import('../../config/read-config.ts')).readConfigText(path, process.env)
}

/** The error for a name that is no job and no pipeline. */
export function unknownJob(name: string, jobs: readonly string[], pipelines: readonly string[]): ConfigError {
  const ofFile = jobs.length === 0 ? '' : ` Jobs of the configuration: ${namesLike(name, jobs)}.`
  const known = [...jobs, ...pipelines]
  const several = name.split(/[,;\s]+/).filter((part) => part !== '')
  const areKnown = several.length > 1 && several.every((part) => known.includes(part))
  const hint = areKnown
    ? `Separate the names by spaces: ${several.join(' ')}.`
    : suggestion(name, known, `\`chainlake pipelines\` lists the pipelines.${ofFile}`)
  return new ConfigError(`There is no pipeline or job ${JSON.stringify(name)}.`, {
    code: 'config.unknown-pipeline',
    hint: name === 'all' ? 'Write --all to run all jobs of chainlake.yaml.' : hint,
  })
}
