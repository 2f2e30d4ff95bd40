import type { AnyPipeline } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { mistakeOf, type Suggest } from './mistake.ts'
import { type Config, configSchema, jobKeys } from './schema.ts'
import { serviceSchema } from './service-schema.ts'
import { parseYaml, readYamlText, type YamlDocument } from './yaml-document.ts'

/** The settings whose variables are filled in from the environment. */
const urls = [['node-url'], ['service', 'data-url'], ['service', 'metrics-url']] as const

/**
 * Reads a configuration file. Throws `ConfigError` with line and column of the first mistake. `suggest` makes a hint
 * from an unknown name and the known ones.
 */
export async function readConfig(
  path: string,
  pipelines: readonly AnyPipeline[],
  suggest: Suggest,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Config> {
  const hint = 'Give another path with --config, or make the file with `chainlake init`.'
  return parseConfig(await readYamlText(path, 'configuration file', hint), path, pipelines, suggest, env)
}

export function parseConfig(
  text: string,
  path: string,
  pipelines: readonly AnyPipeline[],
  suggest: Suggest,
  env: NodeJS.ProcessEnv = process.env,
): Config {
  const document = parseYaml(text, path, { urls, env })
  const read = configSchema(pipelines).safeParse(document.value)
  if (read.success) return read.data as Config
  const issue = read.error.issues[0]?.path ?? []
  if (issue[0] === 'jobs' && issue[2] === 'pipeline' && document.has(issue)) {
    const typed = String(document.get(issue))
    throw new ConfigError(`${document.at(issue)}: there is no pipeline ${typed}.`, {
      code: 'config.unknown-pipeline',
      hint: suggest(
        typed,
        pipelines.map((pipeline) => pipeline.name),
      ),
    })
  }
  throw mistakeOf(read.error, document, (place) => knownKeys(place, document, pipelines), suggest)
}

function knownKeys(
  path: readonly PropertyKey[],
  document: YamlDocument,
  pipelines: readonly AnyPipeline[],
): readonly string[] {
  if (path.length === 0) return Object.keys(configSchema(pipelines).shape)
  if (path[0] === 'jobs') return jobKeys(pipelines.find(({ name }) => name === document.get([...path, 'pipeline'])))
  return serviceKeys(path.slice(1))
}

/** The keys that may stand at a place of `service` or of a file with a profile. */
export function serviceKeys(path: readonly PropertyKey[]): string[] {
  const [key, host] = path
  if (key === undefined) return Object.keys(serviceSchema.shape)
  if (key === 'chains') return ['P', 'X', 'C']
  return key === 'weights' && host !== undefined
    ? ['free', 'small', 'medium', 'large', 'xl', 'xxl']
    : ['data', 'metrics']
}
