import { createHash } from 'node:crypto'
import { readFile, realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fileDigest } from '../lib/files/file-digest.ts'

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
      if (found !== null && !isOfPackage(relative(dirname(module), found))) files.add(found)
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

function isOfPackage(path: string): boolean {
  return path.split(sep).includes('node_modules')
}
