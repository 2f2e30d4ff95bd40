import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DerivedView } from '../define/index.ts'
import { packageRoot } from '../lib/files/package-root.ts'

/** The SELECT of a view, from its declaration or from its file. */
export async function readViewQuery({ name, query }: Pick<DerivedView, 'name' | 'query'>): Promise<string> {
  return (query ?? (await readFile(join(packageRoot(), 'schemas', 'views', `${name}.sql`), 'utf8'))).trim()
}
