import { describe, expect, test } from 'vitest'
import { tables as declared } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { type Column, type Columns, type Table, t } from '../../src/define/index.ts'
import { failureOf } from './committed-lake.ts'
import { createLake, names, newLakeDir, stream } from './lake.ts'

/** Commits these tables without rows. */
async function declare(lake: string, tables: readonly Table[]): Promise<void> {
  const catalog = await createLake({ folder: lake }, tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  const progress = { kind: 'none' } as const
  await catalog.commit({
    runId: run.id,
    stream,
    tables: tables.map(({ name }) => name),
    parts: [],
    progress,
    basis: null,
  })
  await run.end('done')
}

/** Starts a run that declares a table of its own. */
async function start(lake: string, table: Table): Promise<void> {
  const catalog = await createLake({ folder: lake }, [])
  const run = await catalog.startRun({ streams: [stream], command: 'test', tables: [table], dropsColumns: true })
  await run.end('done')
}

async function storedIn(lake: string): Promise<Table[]> {
  return (await openCatalog({ folder: lake }, [])).tables()
}

function current({ ids, ...table }: Table) {
  return { ...asStored(table as Table), ids: ids?.columns }
}

/** A declaration without what a lake does not keep: where answers have the values, and marks, which the rules of the table repeat. */
function asStored(table: Table): Table {
  return { ...table, columns: columnsAsStored(table.columns) }
}

function columnsAsStored(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, columnAsStored(column)]))
}

function columnAsStored({ type, nullable, comment, encoding }: Column): Column {
  const others = { nullable, comment, encoding }
  if (type.kind === 'list') return { type: { ...type, item: columnAsStored(type.item) }, ...others }
  if (type.kind === 'struct') return { type: { ...type, fields: columnsAsStored(type.fields) }, ...others }
  return { type, ...others }
}

describe('a lake describes', () => {
  test('every table as its declaration does', async () => {
    const lake = newLakeDir()
    await declare(lake, declared)
    expect((await storedIn(lake)).map(current)).toEqual(declared.map(current))
  })

  test('a table with new comments and rules after the next commit, in a new snapshot', async () => {
    const lake = newLakeDir()
    await declare(lake, [names])
    const [network, name] = Object.values(names.columns)
    const columns = { network, name: { ...name, comment: 'Other.', encoding: 'plain' } }
    const changed: Table = { ...names, comment: 'Others.', rowGroup: 'raw', lasting: ['name'], columns }
    await declare(lake, [changed])
    const [stored] = await storedIn(lake)
    expect({ ...stored, ids: null }).toEqual(asStored(changed))
    expect(await (await openCatalog({ folder: lake }, [])).snapshotId()).toBe(2)
  })

  test('a table as of an earlier snapshot as it was in that one', async () => {
    const lake = newLakeDir()
    const { network, name } = names.columns
    const tables: Table[] = [
      { ...names, ids: null, columns: { network, name } },
      { ...names, ids: null, columns: { network, note: t.text('Note.', { nullable: true }), name }, sortBy: ['name'] },
      { ...names, ids: null, columns: { network, name }, comment: 'Without notes.', lasting: ['name'] },
    ]
    for (const table of tables) await start(lake, table)
    const catalog = await openCatalog({ folder: lake }, [])
    for (const [position, table] of tables.entries()) {
      const [stored] = (await catalog.asOf({ snapshotId: position + 1 })).tables
      expect({ ...stored, ids: null }).toEqual(asStored(table))
    }
  })

  test('and refuses another history', async () => {
    const lake = newLakeDir()
    await declare(lake, [names])
    const error = await failureOf(declare(lake, [{ ...names, history: 'observations' }]))
    expect(error).toMatchObject({
      code: 'schema.changed',
      details: { table: 'names', 'history in the lake': 'rows', 'history declared': 'observations' },
    })
  })
})
