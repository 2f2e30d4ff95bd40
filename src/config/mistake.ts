import type { z } from 'zod'
import type { RefusedParameter } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { meantIssues, typeReason } from './type-mistake.ts'
import type { Place, YamlDocument } from './yaml-document.ts'

export type Suggest = (typed: string, known: readonly string[]) => string

/** A mistake in a YAML text. */
export type Mistake = {
  readonly place: Place
  /** The path of keys to the mistake. */
  readonly path: readonly PropertyKey[]
  readonly error: ConfigError
}

type Explaining = {
  /** The keys that are allowed at a path. */
  readonly knownKeys: (path: readonly PropertyKey[]) => readonly string[]
  readonly suggest: Suggest
  /** Why a key is refused at a path, where people expect it. Default: no key is expected. */
  readonly refused?: (path: readonly PropertyKey[], key: string) => RefusedParameter | undefined
}

type Issue = z.core.$ZodIssue

/** Every mistake that a schema found in a YAML text, in the order of the text. */
export function mistakesOf(error: z.ZodError, document: YamlDocument, explaining: Explaining): Mistake[] {
  return inOrder(error.issues.flatMap((issue) => mistakesOfIssue(issue, document, explaining)))
}

export function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  return [...mistakes].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
}

function mistakesOfIssue(issue: Issue, document: YamlDocument, explaining: Explaining): Mistake[] {
  const meant = meantIssues(issue)
  if (meant !== null) return meant.flatMap((inner) => mistakesOfIssue(inner, document, explaining))
  const { path } = issue
  if (issue.code !== 'unrecognized_keys')
    return [{ place: document.placeOf(path), path, error: wrongValue(issue, document) }]
  return issue.keys.map((key) => {
    const whole = [...path, key]
    const at = document.at(whole)
    const error = isSecret(key) ? keyInText(at, whole) : unknownKey(at, path, key, explaining)
    return { place: document.placeOf(whole), path: whole, error }
  })
}

function unknownKey(
  at: string,
  path: readonly PropertyKey[],
  key: string,
  { knownKeys, suggest, refused = () => undefined }: Explaining,
): ConfigError {
  const reason = refused(path, key)
  return new ConfigError(
    `${at}: ${[...path, key].join('.')} is not known.${reason === undefined ? '' : ` ${reason.why}`}`,
    { code: 'config.unknown-key', hint: reason?.instead ?? suggest(key, knownKeys(path)) },
  )
}

function wrongValue(issue: Issue, document: YamlDocument): ConfigError {
  const { path, message } = issue
  const reason = typeReason(issue, document.get(path)) ?? message.replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase())
  return new ConfigError(`${document.at(path)}: ${path.join('.') || 'the file'}: ${reason}.`, {
    code: 'config.value',
    hint:
      path[0] === 'lists' || path[0] === 'services'
        ? 'docs/how-to/lists-in-yaml.md of the package explains every key of services and lists.'
        : path[0] === 'jobs' && document.has(['jobs', String(path[1]), 'pipeline'])
          ? `\`chainlake describe ${document.get(['jobs', String(path[1]), 'pipeline'])}\` lists the parameters and their rules.`
          : '`chainlake init` in an empty folder writes an example that explains every key.',
  })
}

/** Whether a key of the file looks like the name of an API key. */
function isSecret(key: string): boolean {
  return /^(api[-_]?)?(key|token|secret)$/i.test(key)
}

function keyInText(at: string, place: readonly PropertyKey[]): ConfigError {
  return new ConfigError(`${at}: ${place.join('.')}: an API key does not belong in a configuration file.`, {
    code: 'config.key-in-file',
    hint: 'Remove it. Set the environment variable CHAINLAKE_API_KEY instead, or write key-env: NAME or key-file: PATH.',
  })
}
