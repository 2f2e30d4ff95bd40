import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import * as nodeModule from 'node:module'
import { createRequire } from 'node:module'
import { basename, dirname, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tables as builtInTables } from '../../schemas/index.ts'
import { pipelineNameMistake, tableNameMistake } from '../config/reserved-names.ts'
import type { Pipeline, StreamDeclaration, Table, Tables, Walk } from '../define/index.ts'
import { ChainlakeError, ConfigError, DefinitionError } from '../errors.ts'
import { fileDigest } from '../lib/files.ts'

/**
 * The pipelines that a module exports. This executes the module. `path` is absolute.
 *
 * @throws ConfigError when the file is missing, cannot be loaded by this version of Node, throws, or exports no pipeline, and for names that
 * are reserved.
 */
export async function loadPipelineModule(path: string, library: LoadLibrary): Promise<readonly Pipeline[]> {
  if (!existsSync(path))
    throw new ConfigError(`There is no file ${path}.`, {
      code: 'pipelines.missing',
      hint: 'Give the path of a module that exports pipelines. A path in chainlake.yaml is relative to that file, a path of --pipelines to the working directory.',
    })
  if (/\.[cm]?tsx?$/.test(path) && !stripsTypes()) throw noTypeScript(path)
  const hash = await moduleHash(path)
  await offerLibrary(library)
  const values = Object.values(await importModule(path)).flatMap((value) => (Array.isArray(value) ? value : [value]))
  const found = [...new Set(values)].filter(isPipeline)
  if (found.length === 0) throw noPipeline(path, values)
  for (const pipeline of found) checkOwnPipeline(pipeline)
  return found.map((pipeline) => ({ ...pipeline, module: { path, hash } }))
}

async function importModule(path: string): Promise<Record<string, unknown>> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(path).href)
  } catch (cause) {
    throw notLoaded(path, cause)
  }
}

function isPipeline(value: unknown): value is Pipeline {
  return isDeclaration(value) && 'optional' in value && 'decoders' in value
}

/** Whether a value is a pipeline, or what `pipeline` makes one from. */
function isDeclaration(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const { name, streams, parameters, tables } = value as Partial<Record<keyof Pipeline, unknown>>
  return (
    typeof name === 'string' &&
    typeof streams === 'function' &&
    typeof parameters === 'object' &&
    typeof tables === 'object'
  )
}

function stripsTypes(): boolean {
  return (process.features as { readonly typescript?: string | false }).typescript === 'strip'
}

function noTypeScript(path: string): ConfigError {
  return new ConfigError(`This version of Node cannot load TypeScript: ${path}.`, {
    code: 'pipelines.typescript',
    details: { node: process.versions.node },
    hint: 'Use Node 22.18 or later. Or compile the module to JavaScript and name the .js or .mjs file.',
  })
}

function noPipeline(path: string, exported: readonly unknown[]): ConfigError {
  return new ConfigError(`The module ${path} exports no pipeline.`, {
    code: 'pipelines.none',
    hint: exported.some(isDeclaration)
      ? "Export what pipeline returns: import { pipeline } from 'chainlake'; export const mine = pipeline({ … })."
      : "Export it: export const mine = pipeline({ … }), with pipeline imported from 'chainlake'.",
  })
}

function notLoaded(path: string, cause: unknown): ConfigError {
  const error: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause))
  const { message, code, stack = '' } = error
  const known = cause instanceof ChainlakeError
  return new ConfigError(`The module ${path} could not be loaded: ${message.replace(/\.?\s*$/, '')}.`, {
    code: known ? cause.code : 'pipelines.failed',
    details: { ...(known ? cause.details : {}), at: placeIn(path, stack) },
    hint:
      (known ? cause.hint : hintOf(code, message)) ??
      'Correct the module. With --log-level debug the whole stack is printed.',
    cause,
  })
}

/** Where the module failed, such as `gas.mjs:12:3`; undefined when the stack does not name it. */
function placeIn(path: string, stack: string): string | undefined {
  for (const name of [pathToFileURL(path).href, fileURLToPath(pathToFileURL(path))]) {
    const [, place] =
      stack.split(name, 2).length === 2 ? (/^(:\d+(?::\d+)?)/.exec(stack.split(name, 2)[1] ?? '') ?? []) : []
    if (place !== undefined) return `${basename(path)}${place}`
  }
  return undefined
}

function hintOf(code: string | undefined, message: string): string | undefined {
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && message.includes('.ts'))
    return 'Use Node 22.18 or later, which loads TypeScript. Or compile the imported files to JavaScript.'
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return 'Node only removes types: write no enum, no namespace and no parameter property.'
  if (code === 'ERR_MODULE_NOT_FOUND')
    return 'Imports of own files need their extension, such as ./row.mjs. Install packages next to the module.'
  return message.includes('does not provide an export named')
    ? 'src/README.md and the types of the package list what chainlake exports.'
    : undefined
}

/** A string that may name an own file: a path that begins with a dot, or a name of `imports` in package.json. */
const named = /(['"`])((?:\.{1,2}\/|#)[^'"`\n]+)\1/g
const isCode = /\.[cm]?[jt]sx?$/

/**
 * SHA-256 over a module and its own files: the files that it names, and those that they name. Packages are not part of it. Every string that
 * names a file counts, whether the file is imported or read, because two workers with different code would write different rows. The hash
 * depends on contents and on paths relative to the module, and not on the folder of the module. A path that is computed is not found.
 */
export async function moduleHash(path: string): Promise<string> {
  const module = await realpath(path)
  const files = new Set([module])
  const digests: [file: string, digest: string][] = []
  for (const file of files) {
    digests.push([relative(dirname(module), file).split(sep).join('/'), await fileDigest(file)])
    if (!isCode.test(file)) continue
    for (const [, , name = ''] of (await readFile(file, 'utf8')).matchAll(named)) {
      const found = await fileNamed(name, file)
      if (found !== null && !relative(dirname(module), found).split(sep).includes('node_modules')) files.add(found)
    }
  }
  digests.sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(digests)).digest('hex')
}

/** The file that a string in another file names; null if there is none. */
async function fileNamed(name: string, from: string): Promise<string | null> {
  for (const pathOf of [pathByUrl, pathByRequire]) {
    const path = pathOf(name, from)
    if (path !== null && (await stat(path).catch(() => null))?.isFile() === true) return realpath(path)
  }
  return null
}

/** As `import` and `new URL` find it. */
function pathByUrl(name: string, from: string): string | null {
  if (name.startsWith('#')) return null
  try {
    return fileURLToPath(new URL(name, pathToFileURL(from)))
  } catch {
    return null
  }
}

/** As `require` finds it, without its ending, or by the `imports` of package.json. */
function pathByRequire(name: string, from: string): string | null {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return null
  }
}

/** Refuses names that chainlake keeps for its own pipelines and tables, unknown walks, and nullable columns in keys. Throws `DefinitionError`. */
export function checkOwnPipeline(pipeline: Pipeline): void {
  refuseReserved(`The pipeline ${pipeline.name}`, pipelineNameMistake(pipeline.name))
  for (const { name } of pipeline.views)
    refuseReserved(`The view ${name} of pipeline ${pipeline.name}`, tableNameMistake(name))
  for (const kind of pipeline.walks ?? [])
    if (!Object.hasOwn(walkParts, kind))
      throw new DefinitionError(`The pipeline ${pipeline.name} has an unknown walk: ${kind}.`, {
        code: 'definition.walk',
        hint: `The walks are ${Object.keys(walkParts).join(', ')}.`,
      })
  const byName = new Map<string, Table>()
  for (const table of tablesOf(pipeline)) {
    // A pipeline may fill built-in tables as they are.
    if (builtInTables.includes(table)) continue
    checkOwnTable(pipeline, table)
    const other = byName.get(table.name) ?? table
    if (other !== table) throw takenTwice(pipeline, table)
    byName.set(table.name, table)
  }
}

function checkOwnTable(pipeline: Pipeline, { name, key, columns }: Table): void {
  refuseReserved(`The table ${name} of pipeline ${pipeline.name}`, tableNameMistake(name))
  // In SQL null equals nothing, so joins by the key would lose such rows.
  const nullable = key.filter((column) => columns[column]?.nullable)
  if (nullable.length > 0)
    throw new DefinitionError(`The key of the table ${name} of pipeline ${pipeline.name} has a nullable column.`, {
      code: 'definition.nullable-key',
      details: { table: name, columns: nullable.join(', ') },
      hint: 'Declare the columns of the key without nullable, and give a missing value a value of its own, such as an empty text. Or take other columns for the key.',
    })
}

/**
 * Checks the streams of a pipeline that chainlake does not declare itself, before a run requests their rows. They fill tables of the pipeline,
 * or others that depend on the values of the job. Returns the streams with decoders that report their mistakes as mistakes of the pipeline
 * (`withOwnDecoders`). Throws `DefinitionError`.
 */
export function checkOwnStreams(
  pipeline: Pipeline,
  streams: readonly StreamDeclaration[],
): readonly StreamDeclaration[] {
  for (const { stream, walk } of streams) checkWalk(pipeline, stream.path, walk)
  const declared = new Map(tablesOf(pipeline).map((table) => [table.name, table]))
  const tables = streams.flatMap((stream) => valuesOf(stream.tables))
  for (const table of tables.filter((each) => declared.get(each.name) !== each)) {
    if (declared.has(table.name)) throw takenTwice(pipeline, table)
    if (!builtInTables.includes(table)) checkOwnTable(pipeline, table)
  }
  for (const { stream, tables, walk } of streams) {
    const own = new Set(valuesOf(tables).map(({ name }) => name))
    const outputs = walk.kind === 'range' ? walk.outputs.flatMap((output) => valuesOf(output.tables)) : []
    const other = outputs.find(({ name }) => !own.has(name))
    if (other !== undefined)
      throw new DefinitionError(
        `An output of the stream ${stream.path} fills a table ${other.name} that the stream does not.`,
        {
          code: 'definition.table',
          hint: `Add ${other.name} to the tables of the stream.`,
        },
      )
  }
  return streams.map((stream) => withOwnDecoders(pipeline, stream))
}

const windowParts = {
  list: 'function',
  head: 'object',
  from: 'number',
  trailing: 'number',
  ahead: 'number',
  first: 'number',
} as const

/** What a walk of each kind has. `list`: requests and a decoder. */
const walkParts: Readonly<Record<Walk['kind'], Readonly<Record<string, 'number' | 'function' | 'object' | 'list'>>>> = {
  range: { source: 'function', outputs: 'object' },
  pageChain: { list: 'list', trailing: 'number' },
  oldestFirst: { list: 'list', trailing: 'number' },
  blockWindow: windowParts,
  timeWindow: windowParts,
  heightRange: windowParts,
  snapshot: { subjects: 'object' },
  series: { list: 'list', from: 'number', again: 'number' },
  keyed: { keys: 'object' },
}

/** Checks that a walk is complete, since modules need not be type-checked. Throws `DefinitionError`. */
function checkWalk(pipeline: Pipeline, path: string, walk: Walk): void {
  const wrong = (part: string, what: string): DefinitionError =>
    new DefinitionError(`The walk of the stream ${path} of pipeline ${pipeline.name} has ${part}${what}.`, {
      code: 'definition.walk',
      hint: 'docs/how-to/own-pipelines.md shows complete walks, and the types of the package describe each of them.',
    })
  const parts = walkParts[walk?.kind]
  if (parts === undefined) throw wrong('an unknown kind: ', String(walk?.kind))
  const check = (of: object, name: string, type: string): void => {
    const value = (of as Readonly<Record<string, unknown>>)[name]
    if (type !== 'list') {
      if (typeof value !== type || value === null) throw wrong(`no ${type} `, name)
      return
    }
    check(of, name, 'object')
    for (const each of ['request', 'decode']) check(value as object, each, 'function')
  }
  for (const [name, type] of Object.entries(parts)) check(walk, name, type)
  if (walk.kind === 'oldestFirst' && walk.newestFirst !== undefined) check(walk, 'newestFirst', 'list')
  if ('subjects' in walk)
    for (const subject of walk.subjects) for (const at of subject.lists.keys()) check(subject.lists, String(at), 'list')
  if (walk.kind === 'keyed')
    for (const key of walk.keys) {
      check(key, 'key', 'object')
      check(key, 'request', 'object')
      check(key, 'decode', 'function')
    }
}

/**
 * Returns the stream with decoders that report their mistakes as mistakes of the pipeline, not of the service. Streams are inert, so this finds
 * a decoder by the name of its property.
 */
function withOwnDecoders(pipeline: Pipeline, stream: StreamDeclaration): StreamDeclaration {
  const guarded = (value: unknown, name: string): unknown => {
    if (typeof value === 'function') return ownFunction(value as (...given: unknown[]) => unknown, name)
    if (name === 'request' || name === 'key' || !isPlain(value)) return value
    if (Array.isArray(value)) return value.map((each) => guarded(each, name))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, guarded(each, name)]))
  }
  const ownFunction = (call: (...given: unknown[]) => unknown, name: string): unknown => {
    if (name === 'decode' || name === 'refused')
      return (...given: unknown[]) => attempt(pipeline, name, () => call(...given))
    return name === 'list' ? (...given: unknown[]) => guarded(call(...given), name) : call
  }
  return stream.walk.kind === 'range' ? stream : { ...stream, walk: guarded(stream.walk, 'walk') as Walk }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}

function attempt(pipeline: Pipeline, name: string, decode: () => unknown): unknown {
  let page: unknown
  try {
    page = decode()
  } catch (cause) {
    if (cause instanceof ChainlakeError) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw ownMistake(pipeline, `failed: ${message.replace(/\.?\s*$/, '')}`, cause)
  }
  const isPage = typeof page === 'object' && page !== null && 'rows' in page && 'items' in page && 'next' in page
  if (name !== 'decode' || isPage || typeof page === 'number' || page === null) return page
  throw ownMistake(pipeline, 'returns no page: an object with rows, items and next')
}

function ownMistake({ name, module }: Pipeline, what: string, cause?: unknown): DefinitionError {
  const { stack = '' } = cause instanceof Error ? cause : {}
  return new DefinitionError(`A decoder of the pipeline ${name} ${what}.`, {
    code: 'definition.decoder',
    details: { at: module && placeIn(module.path, stack) },
    hint: 'Correct the decoder. Of an answer that it cannot read, it should throw DecodeError, which names the field.',
    cause,
  })
}

/** All tables that a pipeline declares. */
export function tablesOf({ tables, optional }: Pipeline): Table[] {
  return [tables, ...Object.values(optional)].flatMap(valuesOf)
}

function valuesOf(tables: Tables): Table[] {
  return Object.values(tables)
}

function takenTwice(pipeline: Pipeline, { name }: Table): DefinitionError {
  return new DefinitionError(`Pipeline ${pipeline.name} has two tables named ${name}.`, {
    code: 'definition.taken',
    hint: 'Give each table its own name, or declare it once and use that declaration everywhere.',
  })
}

function refuseReserved(what: string, mistake: string | null): void {
  if (mistake === null) return
  throw new DefinitionError(`${what} has a reserved name.`, {
    code: 'definition.reserved-name',
    hint: `${mistake[0]?.toUpperCase()}${mistake.slice(1)}.`,
  })
}

/** Refuses a pipeline if another one has its name, or has another table of the same name. Throws `DefinitionError`. */
export function refuseTaken(pipeline: Pipeline, others: readonly Pipeline[]): void {
  const other = others.find(({ name }) => name === pipeline.name)
  if (other !== undefined)
    throw new DefinitionError(`There are two pipelines named ${pipeline.name}.`, {
      code: 'definition.taken',
      details: { first: other.module?.path ?? 'chainlake.yaml', second: pipeline.module?.path },
      hint: 'Rename one of them.',
    })
  const taken = new Map(others.flatMap((each) => tablesOf(each).map((table) => [table.name, { each, table }])))
  for (const table of tablesOf(pipeline)) {
    const found = taken.get(table.name)
    if (found === undefined || found.table === table) continue
    throw new DefinitionError(
      `Two pipelines declare a table named ${table.name}: ${found.each.name} and ${pipeline.name}.`,
      {
        code: 'definition.taken',
        hint: 'Rename one of them. If both pipelines fill the same table, declare it once and import that declaration.',
      },
    )
  }
}

/** Where modules find the library in the thread that loads them. */
const place = Symbol.for('chainlake.running')
const threadPlace = globalThis as { [place]?: Record<string, unknown> }

/** The hooks of a thread of Node's, for versions without `registerHooks`. It gets the URL of the library as `data`. */
const hookThread = `
  let library
  export const initialize = (data) => { library = data }
  export const resolve = (specifier, context, next) =>
    specifier === 'chainlake' ? { url: library, shortCircuit: true } : next(specifier, context)
`

/** Loads the exports of the library that modules of a thread can import. */
type LoadLibrary = () => Promise<Record<string, unknown>>

/**
 * Lets modules that this thread loads import the running code as 'chainlake', wherever they and chainlake are: under npx, of a global
 * installation, and in worker threads. Another copy would throw errors of other classes.
 */
async function offerLibrary(load: LoadLibrary): Promise<void> {
  if (threadPlace[place] !== undefined) return
  const library = { ...(await load()) }
  threadPlace[place] = library
  const url = dataUrl(
    `const library = globalThis[Symbol.for('chainlake.running')]\n${Object.keys(library)
      .map((name) => `export const ${name} = library.${name}`)
      .join('\n')}`,
  )
  // Node 20 has only `register`, which later versions deprecate.
  const { register, registerHooks } = nodeModule as typeof nodeModule & {
    readonly registerHooks?: (hooks: { readonly resolve: ResolveHook }) => void
  }
  if (registerHooks === undefined) register(dataUrl(hookThread), { data: url })
  else
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'chainlake' ? { url, shortCircuit: true } : next(specifier, context),
    })
}

type ResolveHook = (
  specifier: string,
  context: unknown,
  next: (specifier: string, context: unknown) => { readonly url: string },
) => { readonly url: string; readonly shortCircuit?: boolean }

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
