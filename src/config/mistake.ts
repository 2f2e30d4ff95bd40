import type { z } from 'zod'
import { ConfigError } from '../errors.ts'
import type { YamlDocument } from './yaml-document.ts'

export type Suggest = (typed: string, known: readonly string[]) => string

/** The first mistake that a schema found in a YAML text. `knownKeys` are those that may stand at a place. */
export function mistakeOf(
  error: z.ZodError,
  document: YamlDocument,
  knownKeys: (path: readonly PropertyKey[]) => readonly string[],
  suggest: Suggest,
): ConfigError {
  const issue = error.issues[0]
  const path = issue?.path ?? []
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    const place = [...path, key]
    if (isSecret(key)) return keyInText(document.at(place), place)
    return new ConfigError(`${document.at(place)}: ${place.join('.')} is not known.`, {
      code: 'config.unknown-key',
      hint: suggest(key, knownKeys(path)),
    })
  }
  const reason = (issue?.message ?? 'is wrong')
    .replace(/^Invalid input: /, '')
    .replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase())
  return new ConfigError(`${document.at(path)}: ${path.join('.') || 'the file'}: ${reason}.`, {
    code: 'config.value',
    hint:
      path[0] === 'jobs' && document.has(['jobs', String(path[1]), 'pipeline'])
        ? `\`chainlake describe ${document.get(['jobs', String(path[1]), 'pipeline'])}\` shows the parameters with their rules.`
        : '`chainlake init` in an empty folder writes an example with every key explained.',
  })
}

/** A key of a service that somebody wrote into the file, under any of the names that come to mind. */
function isSecret(key: string): boolean {
  return /^(api[-_]?)?(key|token|secret)$/i.test(key)
}

function keyInText(at: string, place: readonly PropertyKey[]): ConfigError {
  return new ConfigError(`${at}: ${place.join('.')}: an API key does not belong into a configuration file.`, {
    code: 'config.key-in-file',
    hint: 'Take it out, and give the key in the environment as CHAINLAKE_API_KEY, or name its place: key-env: NAME or key-file: PATH.',
  })
}
