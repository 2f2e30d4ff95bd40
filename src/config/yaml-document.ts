import { open } from 'node:fs/promises'
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml'
import { ConfigError } from '../errors.ts'
import { fillUrls, type UrlPlaces } from './fill-urls.ts'

/** Where something stands in a text, both from 1. */
export type Place = { readonly line: number; readonly column: number }

/** A YAML text whose mistakes can be placed. */
export type YamlDocument = {
  readonly value: unknown
  /** `file:line:column` of a key or item; of its nearest known parent when it is not there. */
  readonly at: (path: readonly PropertyKey[]) => string
  /** The same as numbers. */
  readonly placeOf: (path: readonly PropertyKey[]) => Place
  readonly has: (path: readonly PropertyKey[]) => boolean
  readonly get: (path: readonly PropertyKey[]) => unknown
}

/** No file that people write is so long; lists of parameters have files of their own. */
const mostBytes = 4 * 1024 * 1024
/** How often anchors may be repeated in all: far more than anybody writes, far less than aliases of aliases make. */
const mostAliases = 1_000

/** Reads a file; throws `ConfigError`. `what` names it, such as `configuration file`. */
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
    hint: 'Move long lists into files of their own, one item a line: addresses: { file: path }.',
  })
}

/** The file, or a byte more than it may have. */
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
  /** Settings that hold a URL: variables of the environment are filled in there, and there only. */
  readonly urls: UrlPlaces
  readonly env: NodeJS.ProcessEnv
}

/** Parses YAML. Throws `ConfigError` with the place of the first mistake. */
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
      hint: 'Mend the YAML there; `chainlake validate` checks the file without running anything.',
    })
  const syntax = document.errors[0]
  if (syntax !== undefined) throw mistake(syntax.pos[0], syntaxText(syntax.message))
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

/** The library's words, or better ones where it only ran out of stack. */
function syntaxText(message: string): string {
  return /call stack/i.test(message) ? tooDeep : (message.split('\n')[0] ?? message)
}

/** The first alias that stands for nothing, or for something that it is a part of. */
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
      const why = target === undefined ? `no &${node.source} stands before it` : 'it would be a part of itself'
      found = { offset: node.range?.[0] ?? 0, message: `*${node.source} stands for nothing: ${why}.` }
      return visit.BREAK
    },
  })
  return found
}

/** What the document says; aliases of aliases that grow without measure are refused where the last of them stands. */
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
    if (cause instanceof ReferenceError)
      throw mistake(last, 'aliases stand for aliases so often that the file would grow beyond measure.')
    if (cause instanceof RangeError) throw mistake(0, tooDeep)
    throw cause
  }
}

/** The map at a path of a value. */
/** YAML takes an unquoted 0x… address for a number, and rounds long digits: what a number would change stays text. */
function keepDigits(document: Document.Parsed): void {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && node.source !== undefined && String(node.value) !== node.source)
        node.value = node.source
    },
  })
}

/** Where a key or item stands in the text; where its nearest known parent stands when it is missing. */
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
