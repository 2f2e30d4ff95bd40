import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../errors.ts'

/** The folder of chainlake's package.json, whether the code runs from `src/` (tests) or from `dist/src/`. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('No folder above this code has a package.json: install the whole package.')
    folder = parent
  }
  return folder
}

let known: string | undefined

/** The version of chainlake, from its package.json. */
export function packageVersion(): string {
  known ??= (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version
  return known
}

/** The file that a thread runs. A worker of Node 20 cannot load TypeScript, so code that runs from the sources uses the built file. */
export function workerFile(module: URL): string {
  const path = fileURLToPath(module)
  return import.meta.url.endsWith('.ts') ? join(packageRoot(), 'dist', relative(packageRoot(), path)) : path
}

/**
 * Loads an optional package when it is needed: only some lakes need it.
 *
 * @throws ConfigError with this message, code and hint where the package is not installed.
 */
export async function loadPackage<T>(
  load: () => Promise<T>,
  { message, code, hint }: { readonly message: string; readonly code: string; readonly hint: string },
): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (!/^(ERR_)?MODULE_NOT_FOUND$/.test((cause as NodeJS.ErrnoException).code ?? '')) throw cause
    throw new ConfigError(message, {
      code,
      // The other lines are the stack of a require.
      details: { cause: (cause as Error).message.split('\n')[0] },
      hint,
      cause,
    })
  }
}

/** The absolute path of a text from a folder. `~` at its beginning is the home folder, since no shell reads settings. */
export function pathFrom(folder: string, text: string): string {
  return text === '~' || text.startsWith('~/') ? join(homedir(), text.slice(1)) : resolve(folder, text)
}
