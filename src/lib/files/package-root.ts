import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
