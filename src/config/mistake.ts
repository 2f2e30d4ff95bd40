import type { z } from 'zod'
import { ConfigError } from '../errors.ts'
import type { Place, YamlDocument } from './yaml-document.ts'

export type Suggest = (typed: string, known: readonly string[]) => string

/** Something wrong in a YAML text. */
export type Mistake = {
  readonly place: Place
  /** Keys that lead there. */
  readonly path: readonly PropertyKey[]
  readonly error: ConfigError
}

type Explaining = {
  /** Those that may stand at a place. */
  readonly knownKeys: (path: readonly PropertyKey[]) => readonly string[]
  readonly suggest: Suggest
}

type Issue = z.core.$ZodIssue

/** Every mistake that a schema found in a YAML text, in the order of the text. */
export function mistakesOf(error: z.ZodError, document: YamlDocument, explaining: Explaining): Mistake[] {
  return inOrder(error.issues.flatMap((issue) => mistakesOfIssue(issue, document, explaining)))
}

export function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  return [...mistakes].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
}

function mistakesOfIssue(issue: Issue, document: YamlDocument, { knownKeys, suggest }: Explaining): Mistake[] {
  const { path } = issue
  if (issue.code !== 'unrecognized_keys')
    return [{ place: document.placeOf(path), path, error: wrongValue(issue, document) }]
  return issue.keys.map((key) => {
    const whole = [...path, key]
    const at = document.at(whole)
    const error = isSecret(key)
      ? keyInText(at, whole)
      : new ConfigError(`${at}: ${whole.join('.')} is not known.`, {
          code: 'config.unknown-key',
          hint: suggest(key, knownKeys(path)),
        })
    return { place: document.placeOf(whole), path: whole, error }
  })
}

function wrongValue({ path, message }: Issue, document: YamlDocument): ConfigError {
  const reason = (message || 'is wrong')
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
