import { readFile } from 'node:fs/promises'
import { isMap, isScalar, LineCounter, type Pair, parseDocument } from 'yaml'
import type { z } from 'zod'
import type { Pipeline } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { type Config, configSchema } from './schema.ts'

type Document = ReturnType<typeof parseDocument>
type Suggest = (typed: string, known: readonly string[]) => string

/**
 * Reads a configuration file. Throws `ConfigError` with line and column of the first mistake. `suggest` makes a hint
 * from an unknown name and the known ones.
 */
export async function readConfig(path: string, pipelines: readonly Pipeline[], suggest: Suggest): Promise<Config> {
  return parseConfig(await readText(path), path, pipelines, suggest)
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new ConfigError(`The configuration file ${path} cannot be read.`, {
      code: 'config.unreadable',
      details: { reason: code === 'ENOENT' ? 'no such file' : message },
      hint: 'Give another path with --config, or make the file with `chainlake init`.',
      cause,
    })
  }
}

export function parseConfig(text: string, path: string, pipelines: readonly Pipeline[], suggest: Suggest): Config {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }
  const syntax = document.errors[0]
  if (syntax !== undefined)
    throw new ConfigError(`${at(syntax.pos[0])}: ${syntax.message.split('\n')[0]}`, {
      code: 'config.yaml',
      hint: 'Mend the YAML there; `chainlake validate` checks the file without running anything.',
    })
  const read = configSchema(pipelines).safeParse(document.toJS() ?? {})
  if (read.success) return read.data
  throw mistake(read.error.issues[0], document, at, pipelines, suggest)
}

function mistake(
  issue: z.core.$ZodIssue | undefined,
  document: Document,
  at: (offset: number) => string,
  pipelines: readonly Pipeline[],
  suggest: Suggest,
): ConfigError {
  const path = issue?.path ?? []
  const name = path.join('.') || 'the file'
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    const known = knownKeys(path, document, pipelines)
    return new ConfigError(`${at(offsetOf(document, [...path, key]))}: ${[...path, key].join('.')} is not known.`, {
      code: 'config.unknown-key',
      hint: suggest(key, known),
    })
  }
  if (path[0] === 'jobs' && path[2] === 'pipeline' && document.hasIn(path)) {
    const typed = String(document.getIn(path))
    return new ConfigError(`${at(offsetOf(document, path))}: there is no pipeline ${typed}.`, {
      code: 'config.unknown-pipeline',
      hint: suggest(
        typed,
        pipelines.map((pipeline) => pipeline.name),
      ),
    })
  }
  const reason = (issue?.message ?? 'is wrong').replace(/^Invalid input: /, '').replace(/^./, (c) => c.toLowerCase())
  return new ConfigError(`${at(offsetOf(document, path))}: ${name}: ${reason}.`, {
    code: 'config.value',
    hint: '`chainlake init` in an empty folder writes an example with every key explained.',
  })
}

/** Where a key stands in the text; where its nearest known parent stands when it is missing. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let offset = 0
  let node: unknown = document.contents
  for (const key of path) {
    if (!isMap(node)) break
    const pair: Pair | undefined = node.items.find(({ key: own }) => isScalar(own) && String(own.value) === String(key))
    if (pair === undefined) break
    offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset
    node = pair.value
  }
  return offset
}

function knownKeys(path: readonly PropertyKey[], document: Document, pipelines: readonly Pipeline[]): string[] {
  if (path.length === 0) return Object.keys(configSchema(pipelines).shape)
  const pipeline = pipelines.find(({ name }) => name === document.getIn([...path, 'pipeline']))
  return ['pipeline', 'from', 'to', 'unit', 'chain', ...Object.keys(pipeline?.options ?? {})]
}
