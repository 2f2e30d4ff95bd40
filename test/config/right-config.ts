import { examineConfig, parseConfigText, readConfigText } from '../../src/config/read-config.ts'
import type { Config } from '../../src/config/schema.ts'
import type { Pipeline } from '../../src/define/index.ts'

/** Reads a configuration file that must be valid; throws its first mistake. */
export async function readConfig(
  path: string,
  pipelines: readonly Pipeline[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Config> {
  return withoutMistakes(examineConfig(await readConfigText(path, env), { pipelines, mistakes: [] }))
}

/** Like `examineConfig`, for a text and pipelines without mistakes. */
export function examineText(text: string, path: string, pipelines: readonly Pipeline[], env: NodeJS.ProcessEnv) {
  return examineConfig(parseConfigText(text, path, env), { pipelines, mistakes: [] })
}

export function parseConfig(
  text: string,
  path: string,
  pipelines: readonly Pipeline[],
  env: NodeJS.ProcessEnv = process.env,
): Config {
  return withoutMistakes(examineText(text, path, pipelines, env))
}

function withoutMistakes({ config, mistakes: [first] }: ReturnType<typeof examineConfig>): Config {
  if (first !== undefined || config === null) throw first?.error
  return config
}
