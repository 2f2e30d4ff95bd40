import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../../schemas/index.ts'
import type { ColumnIds } from '../../src/define/index.ts'
import { columnIds } from '../../src/define/table.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { writeViews } from './views.ts'

const path = join(packageRoot(), 'schemas/ids.json')
const before = JSON.parse(readFileSync(path, 'utf8')) as Record<string, ColumnIds>
// A removed table keeps its ids: a lake may still hold it when a table of the same name is declared again.
const declared = Object.fromEntries(tables.map((table) => [table.name, columnIds(table, before[table.name] ?? null)]))
writeFileSync(path, `${JSON.stringify({ ...before, ...declared }, null, 2)}\n`)

await writeViews()
