import { dirname } from 'node:path'
import { pathFrom } from '../lib/files/path-from.ts'
import { mistakesOf, type Suggest } from './mistake.ts'
import {
  baseProfile,
  builtInProfiles,
  isBuiltIn,
  type ProfileSettings,
  publicProfilePath,
  withProfileText,
} from './profiles.ts'
import { serviceKeys } from './read-config.ts'
import { type ProfileText, profileSchema } from './service-schema.ts'
import { parseYaml, readYamlText } from './yaml-document.ts'

type Reading = { readonly suggest: Suggest; readonly env: NodeJS.ProcessEnv }

/**
 * Returns the built-in profile of this name, or reads a YAML file with a path relative to `folder`. Throws `ConfigError`, with line and
 * column for a mistake in the file.
 */
export async function readProfile(name: string, folder: string, { suggest, env }: Reading): Promise<ProfileSettings> {
  if (isBuiltIn(name) && name !== 'public') return baseProfile(name, env)
  const path = name === 'public' ? publicProfilePath() : pathFrom(folder, name)
  const hint = `Give one of ${builtInProfiles.join(', ')}, or the path of a YAML file.`
  const text = parseProfile(await readYamlText(path, 'service profile', hint), path, { suggest, env })
  return withProfileText(baseProfile(name, env), text, (own) => pathFrom(dirname(path), own))
}

/** Parses a profile file. Throws `ConfigError` with line and column of the first mistake. */
export function parseProfile(text: string, path: string, { suggest, env }: Reading): ProfileText {
  const document = parseYaml(text, path, { urls: [['data-url'], ['metrics-url']], env })
  const read = profileSchema.safeParse(document.value)
  if (read.success) return read.data
  const knownKeys = (place: readonly PropertyKey[]) =>
    place.length === 0 ? Object.keys(profileSchema.shape) : serviceKeys(place)
  throw mistakesOf(read.error, document, { knownKeys, suggest })[0]?.error ?? read.error
}
