/**
 * Copies the declarations that programs need to `dist/types`: those of the library's entry, and those that they import. Plain JavaScript,
 * because the build runs it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const built = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
const folder = join(built, 'types')
const imported = /(?:from |import\()["'](\.[^"']+)\.[jt]s["']/g

rmSync(folder, { recursive: true, force: true })
const files = new Set([join(built, 'src/index.d.ts')])
for (const path of files) {
  const text = readFileSync(path, 'utf8')
  for (const [, from] of text.matchAll(imported)) files.add(join(dirname(path), `${from}.d.ts`))
  const copy = join(folder, relative(built, path))
  mkdirSync(dirname(copy), { recursive: true })
  // The compiler indents deep types by up to 80 spaces, which is most of such a file.
  writeFileSync(
    copy,
    text.replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 4)),
  )
}
