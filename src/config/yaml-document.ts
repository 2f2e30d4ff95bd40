import { readFile } from 'node:fs/promises'
import { isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument, visit } from 'yaml'
import { ConfigError } from '../errors.ts'
import { expandEnvironment } from './expand-environment.ts'

/** A YAML text whose mistakes can be placed. */
export type YamlDocument = {
  readonly value: unknown
  /** `file:line:column` of a key or item; of its nearest known parent when it is not there. */
  readonly at: (path: readonly PropertyKey[]) => string
  readonly has: (path: readonly PropertyKey[]) => boolean
  readonly get: (path: readonly PropertyKey[]) => unknown
}

/** Reads a file; throws `ConfigError`. `what` names it, such as `configuration file`. */
export async function readYamlText(path: string, what: string, hint: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new ConfigError(`The ${what} ${path} cannot be read.`, {
      code: 'config.unreadable',
      details: { reason: code === 'ENOENT' ? 'no such file' : message },
      hint,
      cause,
    })
  }
}

type DocumentOptions = {
  /** Settings that hold a URL: variables of the environment are filled in there, and there only. */
  readonly urls: readonly (readonly string[])[]
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
  const syntax = document.errors[0]
  if (syntax !== undefined)
    throw new ConfigError(`${placeOf(syntax.pos[0])}: ${syntax.message.split('\n')[0]}`, {
      code: 'config.yaml',
      hint: 'Mend the YAML there; `chainlake validate` checks the file without running anything.',
    })
  keepDigits(document)
  const at = (key: readonly PropertyKey[]): string => placeOf(offsetOf(document.contents, key))
  for (const key of urls) {
    const given = document.getIn(key)
    if (typeof given !== 'string') continue
    const expanded = expandEnvironment(given, env)
    if ('mistake' in expanded)
      throw new ConfigError(`${at(key)}: ${key.join('.')}: ${expanded.mistake}.`, {
        code: 'config.environment',
        hint: `Set the variable, or write \${NAME:-http://127.0.0.1:9650} to say what holds without it.`,
      })
    document.setIn(key, expanded.text)
  }
  return {
    value: document.toJS() ?? {},
    at,
    has: (key) => document.hasIn(key),
    get: (key) => document.getIn(key),
  }
}

/** YAML takes an unquoted 0x… address for a number, and rounds long digits: what a number would change stays text. */
function keepDigits(document: ReturnType<typeof parseDocument>): void {
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
