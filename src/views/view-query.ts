import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockDate, type DerivedView, utcDate } from '../define/index.ts'
import { packageRoot } from '../lib/files/package-root.ts'

/** The SELECT of a view, from its declaration or from its file. */
export async function readViewQuery({ name, query, dateOf }: DerivedView): Promise<string> {
  const own = (query ?? (await readFile(join(packageRoot(), 'schemas', 'views', `${name}.sql`), 'utf8'))).trim()
  return dateOf === undefined ? own : `SELECT *, ${utcDate(dateOf)} AS ${blockDate} FROM (\n${own.replace(/;$/, '')}\n)`
}
