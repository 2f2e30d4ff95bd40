import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from './package-root.ts'

/** The file that a thread runs. A worker of Node 20 cannot load TypeScript, so code that runs from the sources uses the built file. */
export function workerFile(module: URL): string {
  const path = fileURLToPath(module)
  return import.meta.url.endsWith('.ts') ? join(packageRoot(), 'dist', relative(packageRoot(), path)) : path
}
