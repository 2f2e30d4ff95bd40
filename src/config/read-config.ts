import type { Pipeline } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { keysOfLists } from '../yaml-lists/known-keys.ts'
import { inOrder, type Mistake, mistakesOf, type Suggest } from './mistake.ts'
import { type Config, configSchema, jobKeys, lakeSchema } from './schema.ts'
import { serviceSchema } from './service-schema.ts'
import { parseYaml, readYamlText, type YamlDocument } from './yaml-document.ts'

/** The settings in which environment variables are replaced. */
const urls = [
  ['node-url'],
  ['lake', 'data'],
  ['lake', 'endpoint'],
  ['service', 'data-url'],
  ['service', 'metrics-url'],
  ['jobs', '*', 'chain'],
  ['jobs', '*', 'ws-url'],
  ['services', '*', 'url'],
] as const

/** A configuration and its mistakes. */
export type ConfigReading = {
  /** The configuration without the wrong jobs; null when a setting that all jobs share is wrong. */
  readonly config: Config | null
  /** In the order of the text. */
  readonly mistakes: readonly Mistake[]
  readonly document: YamlDocument
}

type Reading = { readonly suggest: Suggest; readonly env: NodeJS.ProcessEnv }

/** The pipelines that jobs may name, and the mistakes in those that a configuration declares itself. */
export type KnownPipelines = {
  readonly pipelines: readonly Pipeline[]
  readonly mistakes: readonly Mistake[]
  /** Settings that the command does not need, so that a mistake in them does not stop it. */
  readonly unread?: readonly string[]
}

/**
 * Reads a configuration file. Throws `ConfigError` when it cannot be parsed: no file, no valid YAML, or a variable that is not set.
 */
export async function readConfigText(path: string, env: NodeJS.ProcessEnv): Promise<YamlDocument> {
  const hint = 'Give another path with --config, or create the file with `chainlake init`.'
  return parseYaml(await readYamlText(path, 'configuration file', hint), path, { urls, env })
}

/** Like `examineConfig`, for a text and pipelines without mistakes. */
export function examineText(
  text: string,
  path: string,
  pipelines: readonly Pipeline[],
  { suggest, env }: Reading,
): ConfigReading {
  return examineConfig(parseYaml(text, path, { urls, env }), { pipelines, mistakes: [] }, suggest)
}

/** Finds all mistakes of a configuration. `suggest` makes a hint from an unknown name and the known ones. */
export function examineConfig(
  document: YamlDocument,
  { pipelines, mistakes: ownMistakes, unread = [] }: KnownPipelines,
  suggest: Suggest,
): ConfigReading {
  const schema = configSchema(pipelines)
  const value = without(unread, document.value)
  const read = schema.safeParse(value)
  if (read.success && ownMistakes.length === 0) return { config: read.data as Config, mistakes: [], document }
  const explaining = {
    knownKeys: (place: readonly PropertyKey[]) => knownKeys(place, document, pipelines),
    suggest,
    refused: (place: readonly PropertyKey[], key: string) => pipelineAt(place, document, pipelines)?.refused[key],
  }
  const found = read.success ? [] : mistakesOf(read.error, document, explaining)
  const mistakes = inOrder([
    ...ownMistakes,
    ...withoutWrongLists(found, document).map(
      (mistake) => wrongPipeline(mistake, document, pipelines, suggest) ?? mistake,
    ),
  ])
  if (mistakes.some((mistake) => jobOf(mistake) === null)) return { config: null, mistakes, document }
  const wrong = new Set(mistakes.map(jobOf))
  const { jobs, ...shared } = value as { jobs: object }
  const right = Object.fromEntries(Object.entries(jobs).filter(([name]) => !wrong.has(name)))
  return { config: schema.parse({ ...shared, jobs: right }) as Config, mistakes, document }
}

function without(settings: readonly string[], value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([setting]) => !settings.includes(setting)))
}

/** The mistakes without those of jobs that only follow from a mistake in their list. */
function withoutWrongLists(mistakes: readonly Mistake[], document: YamlDocument): readonly Mistake[] {
  const lists = new Set(mistakes.flatMap(({ path }) => (path[0] === 'lists' ? [path[1]] : [])))
  return mistakes.filter(({ path: [setting, job, key] }) => {
    return (
      setting !== 'jobs' || key !== 'pipeline' || !lists.has(String(document.get(['jobs', String(job), 'pipeline'])))
    )
  })
}

/** The job that a mistake belongs to; null for a setting that all jobs share. */
export function jobOf({ path }: Pick<Mistake, 'path'>): string | null {
  return path[0] === 'jobs' && path.length > 1 ? String(path[1]) : null
}

function wrongPipeline(
  { path, place }: Mistake,
  document: YamlDocument,
  pipelines: readonly Pipeline[],
  suggest: Suggest,
): Mistake | null {
  if (path[0] !== 'jobs' || path[2] !== 'pipeline' || path.length > 3 || !document.has(path)) return null
  const typed = String(document.get(path))
  const known = pipelines.map((pipeline) => pipeline.name)
  const error = new ConfigError(`${document.at(path)}: there is no pipeline ${typed}.`, {
    code: 'config.unknown-pipeline',
    hint: suggest(typed, known),
  })
  return { place, path, error }
}

function knownKeys(
  path: readonly PropertyKey[],
  document: YamlDocument,
  pipelines: readonly Pipeline[],
): readonly string[] {
  if (path.length === 0) return Object.keys(configSchema(pipelines).shape)
  if (path[0] === 'lake') return Object.keys(lakeSchema.shape)
  if (path[0] === 'lists' || path[0] === 'services') return keysOfLists(path)
  if (path[0] === 'jobs') return jobKeys(pipelineAt(path, document, pipelines))
  return serviceKeys(path.slice(1))
}

/** The pipeline of the job at a path; undefined for any other path. */
function pipelineAt(
  path: readonly PropertyKey[],
  document: YamlDocument,
  pipelines: readonly Pipeline[],
): Pipeline | undefined {
  return path[0] === 'jobs' ? pipelines.find(({ name }) => name === document.get([...path, 'pipeline'])) : undefined
}

/** The allowed keys at a path of `service` or of a profile file. */
export function serviceKeys(path: readonly PropertyKey[]): string[] {
  const [key, host] = path
  if (key === undefined) return Object.keys(serviceSchema.shape)
  if (key === 'chains') return ['P', 'X', 'C']
  return key === 'weights' && host !== undefined
    ? ['free', 'small', 'medium', 'large', 'xl', 'xxl']
    : ['data', 'metrics']
}
