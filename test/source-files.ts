import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { packageRoot } from '../src/lib/package.ts'

export type SourceFile = {
  /** Path from the package root, with `/`. */
  readonly path: string
  readonly text: string
  /** Imported files of the project, from the package root. */
  readonly imports: readonly string[]
  /** Imported packages and modules of Node. */
  readonly externals: readonly string[]
  /** Imported files of the project that are used only for types. */
  readonly typeImports: readonly string[]
  /** Imported files of the project that are loaded when a function is called. */
  readonly lateImports: readonly string[]
}

const importPattern = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'/g

/** The TypeScript files below a folder of the project, with their imports. */
export function sourceFiles(folder: string): SourceFile[] {
  const root = packageRoot()
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readSource(root, join(folder, name)))
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const imports: string[] = []
  const externals: string[] = []
  const typeImports: string[] = []
  const lateImports: string[] = []
  for (const [, type, statement, call] of text.matchAll(importPattern)) {
    const name = statement ?? call ?? ''
    if (!name.startsWith('.')) externals.push(name)
    else {
      const target = relative(root, join(root, dirname(path), name)).replaceAll('\\', '/')
      imports.push(target)
      if (type !== undefined) typeImports.push(target)
      if (call !== undefined) lateImports.push(target)
    }
  }
  return { path: path.replaceAll('\\', '/'), text, imports, externals, typeImports, lateImports }
}

/** The files and everything that they import, directly or indirectly; `skips` excludes imports. */
export function closure(
  start: readonly SourceFile[],
  all: readonly SourceFile[],
  skips: (file: SourceFile, path: string) => boolean = () => false,
): SourceFile[] {
  const byPath = new Map(all.map((file) => [file.path, file]))
  const found = new Map<string, SourceFile>()
  const visit = (file: SourceFile) => {
    if (found.has(file.path)) return
    found.set(file.path, file)
    for (const path of file.imports) {
      const next = byPath.get(path)
      if (next !== undefined && !file.typeImports.includes(path) && !skips(file, path)) visit(next)
    }
  }
  for (const file of start) visit(file)
  return [...found.values()]
}
