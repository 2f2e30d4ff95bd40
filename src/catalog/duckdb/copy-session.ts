import { chainlakeTables } from '../schema/chainlake-tables.ts'
import { ducklakeTables } from '../schema/ducklake-tables.ts'
import type { Cell, Session } from '../session/session.ts'
import { buildCatalog } from './create-file.ts'

/** Number of rows to fetch at once. */
const rowsAtOnce = 20_000

/** Copies the catalog of a server session, which sees one moment, to a new DuckDB file. */
export function copyToFile(from: Session, file: string): Promise<void> {
  return buildCatalog(file, async (to) => {
    await to.run('CREATE SCHEMA chainlake')
    for (const [schema, tables] of [
      ['main', ducklakeTables],
      ['chainlake', chainlakeTables],
    ] as const)
      for (const [name, declared] of Object.entries(tables)) {
        await to.run(`CREATE TABLE ${schema}.${name}(${declared})`)
        await copyTable(from, to, { schema, name, columns: declared.split(', ').map(columnOf) })
      }
  })
}

type Column = { readonly name: string; readonly type: string }
type CopiedTable = { readonly schema: string; readonly name: string; readonly columns: readonly Column[] }

/** Keeps the order of rows: `chainlake.file` has row ids, all other tables are sorted by their columns. */
async function copyTable(from: Session, to: Session, { schema, name, columns }: CopiedTable): Promise<void> {
  const selected = columns.map(({ name, type }) =>
    isPlain(type) || type === 'VARCHAR[]' ? `"${name}"` : `"${name}"::VARCHAR AS "${name}"`,
  )
  const order =
    name === 'file' && schema === 'chainlake' ? 'rowid' : columns.map((_, position) => position + 1).join(', ')
  await from.run(
    `DECLARE rows_of_table CURSOR FOR SELECT ${selected.join(', ')} FROM ${schema}.${name} ORDER BY ${order}`,
  )
  const values = columns.map(({ type }, position) => (isPlain(type) ? `$${position + 1}` : `$${position + 1}::${type}`))
  for (;;) {
    const rows = await from.rows(`FETCH ${rowsAtOnce} FROM rows_of_table`)
    if (rows.length === 0) break
    const cells = rows.map((row) => columns.map((column) => row[column.name] as Cell))
    if (columns.every(({ type }) => isPlain(type))) await to.append(schema, name, cells)
    else for (const row of cells) await to.run(`INSERT INTO ${schema}.${name} VALUES (${values.join(', ')})`, row)
  }
  await from.run('CLOSE rows_of_table')
}

/** A declared column, such as `"key" VARCHAR NOT NULL`. */
function columnOf(declared: string): Column {
  const [, name = '', type = ''] = /^"?(\w+)"? (.+?)(?: NOT NULL| PRIMARY KEY)?$/.exec(declared) ?? []
  return { name, type }
}

function isPlain(type: string): boolean {
  return ['VARCHAR', 'BIGINT', 'BOOLEAN'].includes(type)
}
