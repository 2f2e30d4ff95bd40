import { open } from 'node:fs/promises'
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml'
import { ConfigError } from '../errors.ts'
import { fillUrls, type UrlPlaces } from './fill-urls.ts'

/** A position in a text; line and column count from 1. */
export type Place = { readonly line: number; readonly column: number }

/** A parsed YAML text that knows the positions of its keys. */
export type YamlDocument = {
  readonly value: unknown
  /** `file:line:column` of a key or item, or of its nearest parent that exists. */
  readonly at: (path: readonly PropertyKey[]) => string
  /** The same position as numbers. */
  readonly placeOf: (path: readonly PropertyKey[]) => Place
  readonly has: (path: readonly PropertyKey[]) => boolean
  readonly get: (path: readonly PropertyKey[]) => unknown
}

/** The largest allowed file in bytes. Long lists belong in files of their own. */
const mostBytes = 4 * 1024 * 1024
/** The largest number of alias expansions: far more than a person writes, far fewer than nested aliases can make. */
const mostAliases = 1_000

/** Reads a file; throws `ConfigError`. `what` names its kind, such as `configuration file`. */
export async function readYamlText(path: string, what: string, hint: string): Promise<string> {
  let text: Buffer
  try {
    text = await readBeginning(path)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new ConfigError(`The ${what} ${path} cannot be read.`, {
      code: 'config.unreadable',
      details: { reason: code === 'ENOENT' ? 'no such file' : message },
      hint,
      cause,
    })
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

type DocumentOptions = {
  /** Settings that hold a URL: environment variables are replaced only there. */
  readonly urls: UrlPlaces
  readonly env: NodeJS.ProcessEnv
}

/** Parses YAML. Throws `ConfigError` with the position of the first mistake. */
export function parseYaml(text: string, path: string, { urls, env }: DocumentOptions): YamlDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true })
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }
  const mistake = (offset: number, message: string) =>
    new ConfigError(`${placeOf(offset)}: ${message}`, {
      code: 'config.yaml',
      hint: 'Fix the YAML at this position; `chainlake validate` checks the file without running anything.',
    })
  const syntax = document.errors[0]
  if (syntax !== undefined) throw mistake(syntax.pos[0], syntaxText(syntax.message))
  const key = keyMistake(document)
  if (key !== null) throw mistake(key.offset, key.message)
  const alias = aliasMistake(document)
  if (alias !== null) throw mistake(alias.offset, alias.message)
  keepDigits(document)
  const value = contentOf(document, mistake)
  const at = (key: readonly PropertyKey[]): string => placeOf(offsetOf(document.contents, key))
  fillUrls(value, urls, { env, at })
  return {
    value,
    at,
    placeOf: (key) => {
      const { line, col } = lines.linePos(offsetOf(document.contents, key))
      return { line, column: col }
    },
    has: (key) => document.hasIn(key),
    get: (key) => document.getIn(key),
  }
}

const tooDeep = 'lists and maps are nested too deeply.'

/** The message of the YAML library, or a better one when it ran out of stack. */
function syntaxText(message: string): string {
  return /call stack/i.test(message) ? tooDeep : (message.split('\n')[0] ?? message)
}

/** The first key that would vanish: JavaScript takes `__proto__` for something else, and YAML 1.2 has no merge keys. */
function keyMistake(document: Document.Parsed): { readonly offset: number; readonly message: string } | null {
  let found: { readonly offset: number; readonly message: string } | null = null
  visit(document, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || (key.value !== '__proto__' && key.value !== '<<')) return undefined
      const message =
        key.value === '<<'
          ? 'merge keys (<<) are not supported: repeat the settings here, or use an alias for a whole value.'
          : '__proto__ cannot be a name: choose another one.'
      found = { offset: key.range?.[0] ?? 0, message }
      return visit.BREAK
    },
  })
  return found
}

/** The first alias without an anchor, or with an anchor that contains the alias. */
function aliasMistake(document: Document.Parsed): { readonly offset: number; readonly message: string } | null {
  let found: { readonly offset: number; readonly message: string } | null = null
  const anchors = new Map<string, Node>()
  visit(document, {
    Value: (_, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
    Alias: (_, node, path) => {
      const target = anchors.get(node.source)
      if (target !== undefined && !path.includes(target)) return undefined
      const why = target === undefined ? `there is no &${node.source} before it` : 'it would contain itself'
      found = { offset: node.range?.[0] ?? 0, message: `*${node.source} cannot be resolved: ${why}.` }
      return visit.BREAK
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
