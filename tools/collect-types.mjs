/**
 * Copies the declarations that programs need to `dist/types`: that of the library's entry, and those that it reaches. The compiler declares
 * every module, and a package with all of them would have ten times as many files. Plain JavaScript, because the build runs it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const built = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
const folder = join(built, 'types')

/** The declarations that a file imports: `from './file.ts'`, or `import('./file.ts')` in a type that the compiler wrote. */
function importedBy(path) {
  const relatives = readFileSync(path, 'utf8').matchAll(/\b(?:from |import ?\(?)['"](\.[^'"]+)\.[jt]s['"]/g)
  return Array.from(relatives, ([, name]) => join(dirname(path), `${name}.d.ts`))
}

const reached = new Set([join(built, 'src/index.d.ts')])
for (const path of reached) for (const imported of importedBy(path)) reached.add(imported)

rmSync(folder, { recursive: true, force: true })
for (const path of reached) {
  const copy = join(folder, relative(built, path))
  mkdirSync(dirname(copy), { recursive: true })
  // The compiler indents deep types by up to 80 spaces, which is most of such a file.
  writeFileSync(
    copy,
    readFileSync(path, 'utf8').replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 4)),
  )
}
