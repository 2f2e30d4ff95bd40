import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { giveIds } from '../../src/catalog/tables.ts'
import { type Columns, identity, type Table, t, table } from '../../src/define/index.ts'
import { failureOf } from './committed-lake.ts'
import { createLake, newLakeDir, stream } from './lake.ts'

const network = t.text('Network.')
const note = t.text('Note.', { nullable: true })

function notes(columns: Columns): Table {
  return table({
    name: 'notes',
    comment: 'Notes.',
    key: ['network'],
    sortBy: [],
    partitionBy: [identity('network')],
    columns: { network, ...columns },
  })
}

/** Writes a declaration into a lake as a run without rows does. */
async function declare(lake: string, declared: Table): Promise<void> {
  const catalog = await createLake({ folder: lake }, [declared])
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  await catalog.commit({ runId: run.id, stream, tables: ['notes'], parts: [], progress: { kind: 'none' }, basis: null })
  await run.end('done')
}

async function storedNotes(lake: string): Promise<Table> {
  return (await (await openCatalog({ folder: lake }, [])).tables())[0]!
}

/** How answers become values is not stored: a lake has the values. */
function withoutReaders(declared: Table): Table {
  return JSON.parse(JSON.stringify(declared, (name, value) => (name === 'reader' ? undefined : value)))
}

describe('the catalog gives the columns of a table their ids', () => {
  test('by path, and a removed column that comes back gets a new one', async () => {
    const lake = newLakeDir()
    await declare(lake, giveIds(notes({ a: note, b: note }), undefined))
    const without = giveIds(notes({ b: note, c: note }), await storedNotes(lake), 'drop')
    expect(without.ids).toEqual({ columns: { network: 1, b: 3, c: 4 }, retired: { 2: 'a' } })
    await declare(lake, without)
    const again = giveIds(notes({ c: note, a: note, b: note }), await storedNotes(lake))
    expect(again.ids).toEqual({ columns: { network: 1, c: 4, a: 5, b: 3 }, retired: { 2: 'a' } })
    await declare(lake, again)
    expect(await storedNotes(lake)).toEqual(withoutReaders(again))
  })

  test('and a run refuses a column that is missing, unless it may be dropped', async () => {
    const lake = newLakeDir()
    await declare(lake, giveIds(notes({ a: note }), undefined))
    const error = await failureOf(declare(lake, giveIds(notes({}), await storedNotes(lake))))
    expect(error).toMatchObject({ code: 'schema.changed', details: { column: 'a', declared: 'not declared' } })
    expect(error.hint).toContain('--drop-columns')
  })

  test('never twice, whatever is declared one after the other', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 8 }), (declarations) => {
        let stored: Table | undefined
        const meaning = new Map<number, string>()
        let before: readonly string[] = []
        for (const columns of declarations) {
          stored = giveIds(notes(Object.fromEntries(columns.map((name) => [name, note]))), stored, 'drop')
          for (const name of columns) {
            const id = stored.ids!.columns[name]!
            if (!before.includes(name)) expect(meaning.has(id)).toBe(false)
            else expect(meaning.get(id)).toBe(name)
            meaning.set(id, name)
          }
          before = columns
        }
      }),
    )
  })
})
