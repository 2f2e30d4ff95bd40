import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../../schemas/index.ts'
import { idList, idsIn } from '../../schemas/shared/table.ts'
import { columnIds } from '../../src/define/table.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { writeViews } from './views.ts'

const path = join(packageRoot(), 'schemas/ids.json')
const before: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(path, 'utf8'))
const declared = tables.map((table): [string, readonly string[]] => [
  table.name,
  idList(columnIds(table, idsIn(before[table.name]))),
])
// A removed table keeps its ids: a lake may still hold it when a table of the same name is declared again.
const lists = { ...before, ...Object.fromEntries(declared) }
const lines = Object.entries(lists).map(([name, list]) => {
  const line = `  ${JSON.stringify(name)}: [${list.map((path) => JSON.stringify(path)).join(', ')}]`
  return line.replace(/(.{1,134}(?:,|$)) ?/g, '$1\n    ').trimEnd()
})
writeFileSync(path, `{\n${lines.join(',\n')}\n}\n`)

await writeViews()
