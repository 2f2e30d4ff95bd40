import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './package-root.ts'

let known: string | undefined

/** The version of chainlake, from its package.json. */
export function packageVersion(): string {
  known ??= (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version
  return known
}
