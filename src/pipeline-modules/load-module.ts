import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Pipeline } from '../define/index.ts'
import { ChainlakeError, ConfigError } from '../errors.ts'
import { moduleHash } from './module-hash.ts'
import { checkOwnPipeline } from './own-pipeline.ts'
import { type LoadLibrary, offerLibrary } from './running-instance.ts'

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
  if (isTypeScript(path) && !stripsTypes()) throw noTypeScript(path)
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
  return isDeclaration(value) && 'optional' in value && 'threads' in value
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

function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path)
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
