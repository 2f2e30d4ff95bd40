import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Alias,
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type Node as YamlNode,
} from 'yaml'
import { z } from 'zod'
import type { Pipeline, RefusedParameter } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { packageRoot, pathFrom } from '../lib/package.ts'
import { nearestName, suggestion } from '../lib/suggestion.ts'
import { unreadable } from './parameter-values.ts'
import { baseProfile, builtInProfiles, expandEnvironment, type ProfileSettings, withProfileText } from './profiles.ts'
import { type Config, configSchema, type JsonSchema, profileSchema } from './schema.ts'
import { type Setting, settings } from './settings.ts'

/** The keys of a group that hold a URL or a folder. */
function urlsOf(group: Readonly<Record<string, Setting>>): string[] {
  return Object.entries(group).flatMap(([key, { kind }]) => (/^(url|place|path)$/.test(kind) ? [key] : []))
}

/** Settings in which `${NAME}` becomes the value of an environment variable. The lake is one: the URL of a database has a password. */
const urls = [
  ...urlsOf(settings.node).map((key) => [key]),
  ['lake'],
  ...urlsOf(settings.lake).map((key) => ['lake', key]),
  ...urlsOf(settings.service).map((key) => ['service', key]),
  ['jobs', '*', 'chain'],
  ['jobs', '*', 'ws-url'],
  ['services', '*', 'url'],
]

/** The pipelines that jobs may name, and the mistakes in those that a configuration declares itself. */
type KnownPipelines = {
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
  return parseConfigText(await readYamlText(path, 'configuration file', hint), path, env)
}

/** Parses a configuration. Throws `ConfigError` as `readConfigText` does. */
export function parseConfigText(text: string, path: string, env: NodeJS.ProcessEnv): YamlDocument {
  return parseYaml(text, path, urls, env)
}

/**
 * Finds all mistakes of a configuration, in the order of the text. `config` has no wrong jobs; it is null when a setting that all jobs share is
 * wrong.
 */
export function examineConfig(
  document: YamlDocument,
  { pipelines, mistakes: ownMistakes, unread = [] }: KnownPipelines,
) {
  const schema = configSchema(pipelines)
  const value = without(unread, document.value)
  const read = schema.safeParse(value)
  if (read.success && ownMistakes.length === 0) return { config: read.data as Config, mistakes: [], document }
  const explaining = {
    schema,
    refused: (place: readonly PropertyKey[], key: string) => pipelineAt(place, document, pipelines)?.refused[key],
  }
  const found = read.success ? [] : mistakesOf(read.error, document, explaining)
  const mistakes = inOrder([
    ...ownMistakes,
    ...withoutWrongLists(found, document).map((mistake) => wrongPipeline(mistake, document, pipelines) ?? mistake),
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
): Mistake | null {
  if (path[0] !== 'jobs' || path[2] !== 'pipeline' || path.length > 3 || !document.has(path)) return null
  const typed = String(document.get(path))
  const known = pipelines.map((pipeline) => pipeline.name)
  const error = new ConfigError(`${document.at(path)}: there is no pipeline ${typed}.`, {
    code: 'config.unknown-pipeline',
    hint: suggestion(typed, known),
  })
  return { place, path, error }
}

/** JSON Schemas of schemas: a file may have many wrong keys, and making one takes about ten milliseconds. */
const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>()

/** The allowed keys at a path. Those of a job are the keys of its pipeline. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[], document: YamlDocument): string[] {
  const named = document.get([...path, 'pipeline'])
  const alternatives = (node: JsonSchema): JsonSchema[] => [node, ...(node.anyOf ?? []), ...(node.oneOf ?? [])]
  const whole = jsonSchemas.get(schema) ?? (z.toJSONSchema(schema, { io: 'input' }) as JsonSchema)
  jsonSchemas.set(schema, whole)
  let nodes = alternatives(whole)
  for (const key of path)
    nodes = nodes.flatMap(({ properties = {}, additionalProperties, items }) => {
      const own = Object.hasOwn(properties, key) ? properties[String(key)] : undefined
      const below = own ?? (typeof additionalProperties === 'object' ? additionalProperties : items)
      return below === undefined ? [] : alternatives(below)
    })
  const keys = nodes.flatMap(({ properties = {} }) => {
    const { pipeline } = properties
    return pipeline === undefined || pipeline.const === named ? Object.keys(properties) : ['pipeline']
  })
  return [...new Set(keys)]
}

/** The pipeline of the job at a path; undefined for any other path. */
function pipelineAt(
  path: readonly PropertyKey[],
  document: YamlDocument,
  pipelines: readonly Pipeline[],
): Pipeline | undefined {
  return path[0] === 'jobs' ? pipelines.find(({ name }) => name === document.get([...path, 'pipeline'])) : undefined
}

/**
 * Returns the built-in profile of this name, or reads a YAML file with a path relative to `folder`. Throws `ConfigError`, with line and
 * column for a mistake in the file.
 */
export async function readProfile(name: string, folder: string, env: NodeJS.ProcessEnv): Promise<ProfileSettings> {
  if (name === 'devnet' || name === 'neutral') return baseProfile(name, env)
  const path = name === 'public' ? join(packageRoot(), 'examples/public-profile.yaml') : pathFrom(folder, name)
  const hint = `Give one of ${builtInProfiles.join(', ')}, or the path of a YAML file.`
  const text = parseProfile(await readYamlText(path, 'service profile', hint), path, env)
  return withProfileText(baseProfile(name, env), text, (own) => pathFrom(dirname(path), own))
}

/** Parses a profile file. Throws `ConfigError` with line and column of the first mistake. */
export function parseProfile(text: string, path: string, env: NodeJS.ProcessEnv) {
  const serviceUrls = urlsOf(settings.service).map((key) => [key])
  const document = parseYaml(text, path, serviceUrls, env)
  const read = profileSchema.safeParse(document.value)
  if (read.success) return read.data
  throw mistakesOf(read.error, document, { schema: profileSchema })[0]?.error ?? read.error
}

/** A position in a text; line and column count from 1. */
type LinePosition = { readonly line: number; readonly column: number }

/** A parsed YAML text that knows the positions of its keys. */
export type YamlDocument = {
  readonly value: unknown
  /** `file:line:column` of a key or item, or of its nearest parent that exists. */
  readonly at: (path: readonly PropertyKey[]) => string
  /** The same position as numbers. */
  readonly placeOf: (path: readonly PropertyKey[]) => LinePosition
  readonly has: (path: readonly PropertyKey[]) => boolean
  readonly get: (path: readonly PropertyKey[]) => unknown
}

/** The largest allowed file in bytes. Long lists belong in files of their own. */
const mostBytes = 4 * 1024 * 1024
/** The largest number of alias expansions: far more than a person writes, far fewer than nested aliases can make. */
const mostAliases = 1_000

/** Reads a file; throws `ConfigError`. `what` names its kind, such as `configuration file`. */
async function readYamlText(path: string, what: string, hint: string): Promise<string> {
  let text: Buffer
  try {
    text = await readBeginning(path)
  } catch (cause) {
    throw unreadable(`The ${what} ${path}`, cause, hint)
  }
  if (text.length <= mostBytes) return text.toString()
  throw new ConfigError(`The ${what} ${path} is longer than ${mostBytes >> 20} MiB.`, {
    code: 'config.unreadable',
    hint: 'Move long lists into files of their own with one item per line: addresses: { file: path }.',
  })
}

/** Reads the file, but at most one byte more than allowed. */
async function readBeginning(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const chunks: Buffer[] = []
    for await (const chunk of file.createReadStream({ start: 0, end: mostBytes })) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  } finally {
    await file.close()
  }
}

/** Parses YAML, and replaces environment variables in `urls`. Throws `ConfigError` with the position of the first mistake. */
function parseYaml(text: string, path: string, urls: UrlPlaces, env: NodeJS.ProcessEnv): YamlDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true })
  const place = (offset: number): LinePosition => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const placeText = (offset: number): string => `${path}:${Object.values(place(offset)).join(':')}`
  const mistake = (offset: number, message: string) =>
    new ConfigError(`${placeText(offset)}: ${message}`, {
      code: 'config.yaml',
      hint: 'Fix the YAML at this position; `chainlake validate` checks the file without running anything.',
    })
  const syntax = document.errors[0]
  if (syntax !== undefined) throw mistake(syntax.pos[0], syntaxText(syntax.message))
  const found = structureMistake(document)
  if (found !== null) throw mistake(found.offset, found.message)
  keepDigits(document)
  fillUrls(document, urls, env, (key) => placeText(rangeStart(key) ?? 0))
  return {
    value: contentOf(document, mistake),
    at: (key) => placeText(offsetOf(document.contents, key)),
    placeOf: (key) => place(offsetOf(document.contents, key)),
    has: (key) => document.hasIn(key),
    get: (key) => document.getIn(key),
  }
}

const tooDeep = 'lists and maps are nested too deeply.'

/** The message of the YAML library, or a better one when it ran out of stack. */
function syntaxText(message: string): string {
  if (/call stack/i.test(message)) return tooDeep
  if (/multiple documents/i.test(message))
    return 'the file has several documents: remove this ---, or use a file for each.'
  const [first = ''] = message.split('\n')
  return first.replace(/[.:]?$/, '.')
}

/**
 * The first key that would vanish, since JavaScript takes `__proto__` for something else and YAML 1.2 has no merge keys, and the first alias
 * without an anchor, or with an anchor that contains the alias.
 */
function structureMistake(document: Document.Parsed): { readonly offset: number; readonly message: string } | null {
  let found: { readonly offset: number; readonly message: string } | null = null
  const anchors = new Map<string, YamlNode>()
  const stop = (node: Scalar | Alias, message: string): symbol => {
    found = { offset: node.range?.[0] ?? 0, message }
    return visit.BREAK
  }
  visit(document, {
    Pair: (_, { key }) => {
      if (!isScalar(key)) return undefined
      if (key.value === '__proto__') return stop(key, '__proto__ cannot be a name: choose another one.')
      return key.value === '<<'
        ? stop(key, 'merge keys (<<) are not supported: repeat the settings here, or use an alias for a whole value.')
        : undefined
    },
    Value: (_, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
    Alias: (_, node, path) => {
      const target = anchors.get(node.source)
      if (target !== undefined && !path.includes(target)) return undefined
      const why = target === undefined ? `there is no &${node.source} before it` : 'it would contain itself'
      return stop(node, `*${node.source} cannot be resolved: ${why}.`)
    },
  })
  return found
}

/** The value of the document. Nested aliases that expand too much are refused at the position of the last alias. */
function contentOf(document: Document.Parsed, mistake: (offset: number, message: string) => ConfigError): unknown {
  try {
    return document.toJS({ maxAliasCount: mostAliases }) ?? {}
  } catch (cause) {
    let last = 0
    visit(document, {
      Alias: (_, { range }) => {
        last = range?.[0] ?? last
      },
    })
    if (cause instanceof ReferenceError) throw mistake(last, 'nested aliases would expand the file too much.')
    if (cause instanceof RangeError) throw mistake(0, tooDeep)
    throw cause
  }
}

/** Keeps the text of numbers that YAML would change: it parses an unquoted 0x… address as a number, and rounds long digits. */
function keepDigits(document: Document.Parsed): void {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && node.source !== undefined && String(node.value) !== node.source)
        node.value = node.source
    },
  })
}

/** The offset of a key or item in the text, or of its nearest parent that exists. */
function offsetOf(contents: unknown, path: readonly PropertyKey[]): number {
  let offset = 0
  let node = contents
  for (const key of path) {
    if (isSeq(node)) {
      node = node.items[Number(key)]
      offset = rangeStart(node) ?? offset
    } else if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(
        (own) => isScalar(own.key) && String(own.key.value) === String(key),
      )
      if (pair === undefined) break
      offset = rangeStart(pair.key) ?? offset
      node = pair.value
    } else break
  }
  return offset
}

function rangeStart(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) ? node.range?.[0] : undefined
}

/** Settings that hold a URL, as paths of keys; `*` matches every key. */
type UrlPlaces = readonly (readonly string[])[]

/** Replaces environment variables in settings that hold a URL. `at` is the position of a key. Throws `ConfigError` for a variable that is not set. */
function fillUrls(document: Document, urls: UrlPlaces, env: NodeJS.ProcessEnv, at: (key: unknown) => string): void {
  visit(document, {
    Pair: (_, pair, path) => {
      const { key, value } = pair
      const keys = [...path.filter(isPair), pair].map((each) => String(isScalar(each.key) ? each.key.value : each.key))
      const isMeant = (place: readonly string[]) =>
        place.length === keys.length && place.every((name, depth) => name === '*' || name === keys[depth])
      if (!isScalar(value) || typeof value.value !== 'string' || !urls.some(isMeant)) return
      const expanded = expandEnvironment(value.value, env)
      if ('mistake' in expanded)
        throw new ConfigError(`${at(key)}: ${keys.join('.')}: ${expanded.mistake}.`, {
          code: 'config.environment',
          hint: `Set the variable, or write \${NAME:-VALUE} to give a default.`,
        })
      value.value = expanded.text
    },
  })
}

/** A mistake in a YAML text. */
export type Mistake = {
  readonly place: LinePosition
  /** The path of keys to the mistake. */
  readonly path: readonly PropertyKey[]
  readonly error: ConfigError
}

/** What explains mistakes: the schema, for the allowed keys, and why a key is refused at a path where people expect it. */
type Explaining = {
  readonly schema: z.ZodType
  readonly refused?: (path: readonly PropertyKey[], key: string) => RefusedParameter | undefined
}

type Issue = z.core.$ZodIssue

/** Every mistake that a schema found in a YAML text, in the order of the text. */
function mistakesOf(error: z.ZodError, document: YamlDocument, explaining: Explaining): Mistake[] {
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
    const isSecret = /^(api[-_]?)?(key|token|secret)$/i.test(key)
    const error = isSecret ? keyInText(document.at(whole), whole) : unknownKey(document, path, key, explaining)
    return { place: document.placeOf(whole), path: whole, error }
  })
}

function unknownKey(
  document: YamlDocument,
  path: readonly PropertyKey[],
  key: string,
  { schema, refused = () => undefined }: Explaining,
): ConfigError {
  const reason = refused(path, key)
  const whole = [...path, key]
  return new ConfigError(
    `${document.at(whole)}: ${whole.join('.')} is not known.${reason === undefined ? '' : ` ${reason.why}`}`,
    { code: 'config.unknown-key', hint: reason?.instead ?? suggestion(key, knownKeys(schema, path, document)) },
  )
}

function wrongValue(issue: Issue, document: YamlDocument): ConfigError {
  const { path, message } = issue
  const given = document.get(path)
  const reason =
    typeReason(issue, given) ??
    amountReason(issue, given) ??
    (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ??
    message.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
  return new ConfigError(`${document.at(path)}: ${path.join('.') || 'the file'}: ${reason}.`, {
    code: 'config.value',
    hint: hintAt(path, document),
  })
}

function hintAt([group, name, key]: readonly PropertyKey[], document: YamlDocument): string {
  if (group === 'lists' || group === 'services')
    return 'docs/how-to/lists-in-yaml.md of the package explains every key of services and lists.'
  const job = group === 'jobs' ? document.get(['jobs', String(name)]) : null
  if (isMap(job) && job.has('pipeline'))
    return `\`chainlake describe ${job.get('pipeline')}\` lists the parameters and their rules.`
  const misspelt = isMap(job) && key === 'pipeline' ? nearestName(key, Object.keys(job.toJSON())) : undefined
  return misspelt === undefined
    ? '`chainlake init` in an empty folder writes an example that explains every key.'
    : `In the place of ${misspelt}, write pipeline.`
}

function keyInText(at: string, place: readonly PropertyKey[]): ConfigError {
  return new ConfigError(`${at}: ${place.join('.')}: an API key does not belong in a configuration file.`, {
    code: 'config.key-in-file',
    hint: 'Remove it. Set the environment variable CHAINLAKE_API_KEY instead, or write key-env: NAME or key-file: PATH.',
  })
}

/** What the validation library calls a type, in the words of YAML. */
const words: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys',
  record: 'a mapping of keys',
}

/** What a value must be and what it is; null when the issue is about something else than its type. `given` is undefined for no value. */
function typeReason(issue: Issue, given: unknown): string | null {
  const expected = [...new Set(expectedBy(issue))]
  if (given === undefined && issue.code.startsWith('invalid_'))
    return expected.length === 0 ? 'is missing' : `is missing; it must be ${alternatives(expected)}`
  return expected.length === 0 ? null : `must be ${alternatives(expected)}, not ${shown(given)}`
}

/** What an amount must be and what it is; null for other issues, since other values, such as names of headers, may hold a secret. */
function amountReason(issue: Issue, given: unknown): string | null {
  if (issue.code === 'too_small' && typeof given === 'number') return `must be at least ${issue.minimum}, not ${given}`
  if (issue.code === 'too_small' && issue.minimum === 1) return 'must not be empty'
  return issue.code === 'invalid_format' && /^must be an? /.test(issue.message)
    ? `${issue.message}, not ${shown(given)}`
    : null
}

/**
 * The issues of the only alternative that the value may be meant as: a mapping with a mistake inside is not also refused for being no text.
 * Null when there is none, or more than one.
 */
function meantIssues(issue: Issue): Issue[] | null {
  if (issue.code !== 'invalid_union') return null
  const [meant, ...others] = issue.errors.filter((issues) => !issues.some(({ path }) => path.length === 0))
  if (meant === undefined || others.length > 0) return null
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

function expectedBy(issue: Issue): string[] {
  if (issue.code === 'invalid_type') return [words[issue.expected] ?? issue.expected]
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code !== 'invalid_union') return []
  return issue.errors.flat().flatMap((inner) => (inner.path.length === 0 ? expectedBy(inner) : []))
}

function alternatives(texts: readonly string[]): string {
  return texts.length === 1 ? texts[0]! : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

/** The longest text that is shown whole. */
const longest = 60

/** Lists and mappings may be long: their kind says enough. */
function shown(given: unknown): string {
  if (isNode(given)) return isSeq(given) ? 'a list' : isMap(given) ? 'a mapping' : 'an alias'
  const text = JSON.stringify(given)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
