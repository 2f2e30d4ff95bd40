import { describe, expect, test } from 'vitest'
import type { CoverageRow, FileSource, Inventory, InventoryFile } from '../../src/catalog/catalog.ts'
import type { Slice } from '../../src/model.ts'
import { planRemoval, recount, shareRowsIn } from '../../src/repair/plan-removal.ts'
import { byText, factsOfStream } from '../lib/stream-of.ts'

const slice = (from: number, to: number): Slice => ({ from, to })
const of = (stream: string, from?: number, to?: number): FileSource => ({
  stream: `n/${stream}`,
  slice: from === undefined || to === undefined ? null : slice(from, to),
})

let ids = 0
function file(rows: number, ...sources: FileSource[]): InventoryFile {
  const id = ids++
  return {
    id,
    path: `data/${id}.parquet`,
    rows,
    bytes: 10 * rows,
    partition: [],
    footerBytes: 1,
    network: 'n',
    sha256: '',
    committedRows: rows,
    sources,
  }
}

function covered(table: string, stream: string, from: number, to: number, rows: number): CoverageRow {
  const origin = factsOfStream(`n/${stream}`)
  const row = {
    network: 'n',
    stream: origin.stream,
    origin,
    table,
    slice: slice(from, to),
    ends: null,
    blockEnds: null,
  }
  return { ...row, rows, bytes: 10 * rows }
}

function lake(
  tables: Record<string, InventoryFile[]>,
  coverage: CoverageRow[],
  written: Record<string, number> = {},
): Inventory {
  return {
    snapshot: { lakeId: 'l', snapshotId: 1, runId: null },
    tables: Object.entries(tables).map(([name, files], id) => ({ name, id, columns: [], files })),
    coverage,
    lists: [],
    stretches: new Map(),
    written: Object.entries(written).map(([name, rows]) => {
      const [table = '', stream = ''] = name.split(' ')
      return { table, stream: `n/${stream}`, rows, bytes: 10 * rows }
    }),
    declared: [],
    streams: byText(
      ...coverage.map(({ origin }) => origin),
      ...Object.keys(written).map((name) => factsOfStream(`n/${name.split(' ')[1]}`)),
    ),
    networks: [],
    anchors: [],
    observations: new Map(),
    hidden: [],
    writing: new Set(),
    over: new Set(),
    contradictions: [],
    withLosses: new Set(),
  }
}

const streams = ['evm-blocks/7', 'evm-blocks/8', 'evm-logs/7?contracts=0x1'].map((path) =>
  factsOfStream(`n/${path}`, {
    overlapping: path.endsWith('8') ? ['evm-blocks/8', 'evm-logs/8'] : ['evm-blocks/7', 'evm-logs/7'],
  }),
)

const rules: Parameters<typeof planRemoval>[2] = {
  isUnrepeatable: (table) => table === 'readings',
  shareRows: shareRowsIn(byText(...streams)),
  markersOf: (table) => (table === 'also' ? ['asked'] : []),
  isCheckedAlone: (table) => table === 'blocks',
  sliceToRead: (_, slice) => slice,
}

function plan(
  inventory: Inventory,
  damaged: InventoryFile[],
  options: Partial<Parameters<typeof planRemoval>[1]> = {},
) {
  const { slices = [], acceptLoss = false } = options
  const planned = planRemoval(inventory, { damaged: new Set(damaged.map(({ id }) => id)), slices, acceptLoss }, rules)
  const counts = recount(inventory, planned)
  // The counts must equal the rows in the remaining files.
  const gone = new Set(planned.files.map(({ file }) => file.id))
  for (const { name, files } of inventory.tables) {
    const left = files.filter(({ id }) => !gone.has(id)).reduce((sum, { rows }) => sum + rows, 0)
    const rest = inventory.coverage.filter((row) => row.table === name && !counts.uncovered.includes(row))
    const now = counts.covered.filter(({ table }) => table === name)
    const writtenNow = new Map(
      [...inventory.written, ...counts.written].flatMap((row) => (row.table === name ? [[row.stream, row.rows]] : [])),
    )
    const sums = [...rest, ...now].map(({ rows }) => rows)
    expect([...sums, ...writtenNow.values()].reduce((sum, rows) => sum + rows, 0)).toBe(left)
  }
  return {
    files: planned.files.map(({ file }) => file.id).sort((a, b) => a - b),
    cuts: planned.cuts.map(({ table, stream, slice: { from, to } }) => `${table} ${stream} ${from}-${to}`).sort(),
    lists: planned.lists,
    lost: planned.lost.map(({ file }) => file.id),
    covered: counts.covered.map((row) => `${row.table} ${row.slice.from}-${row.slice.to}: ${row.rows}`),
  }
}

describe('a damaged file of a range', () => {
  test('is removed with the other files of its unit, and no more', () => {
    const [a, b, c, d] = [
      file(3, of('s', 0, 10)),
      file(4, of('s', 0, 10)),
      file(5, of('s', 10, 20)),
      file(9, of('s', 20, 30)),
    ]
    const inventory = lake({ t: [a, b, c, d] }, [covered('t', 's', 0, 30, 21)])
    expect(plan(inventory, [c])).toMatchObject({ files: [c.id], cuts: ['t n/s 10-20'], lists: [] })
    expect(plan(inventory, [a])).toMatchObject({ files: [a.id, b.id], cuts: ['t n/s 0-10'] })
  })

  test('of several streams is removed with the overlapping files of each stream', () => {
    const [a, b, c] = [file(2, of('s', 0, 10), of('r', 0, 5)), file(2, of('r', 3, 9)), file(2, of('q', 0, 9))]
    const inventory = lake({ t: [a, b, c] }, [
      covered('t', 's', 0, 10, 1),
      covered('t', 'r', 0, 9, 3),
      covered('t', 'q', 0, 9, 2),
    ])
    expect(plan(inventory, [a])).toMatchObject({
      files: [a.id, b.id],
      cuts: ['t n/r 0-5', 't n/r 3-9', 't n/s 0-10'],
      covered: [],
    })
  })

  test('of logs is removed with the coverage of evm-blocks that relies on its rows', () => {
    const logs = 'evm-logs/7?contracts=0x1'
    const [a, b, c] = [
      file(2, of(logs, 0, 50)),
      file(2, of('evm-blocks/7', 40, 60)),
      file(1, of('evm-blocks/8', 0, 60)),
    ]
    const inventory = lake({ t: [a, b, c] }, [
      covered('t', logs, 0, 50, 2),
      covered('t', 'evm-blocks/7', 20, 60, 2),
      covered('t', 'evm-blocks/8', 0, 60, 1),
    ])
    expect(plan(inventory, [a])).toMatchObject({
      files: [a.id, b.id],
      cuts: expect.arrayContaining(['t n/evm-blocks/7 20-50', 't n/evm-blocks/7 40-60', `t n/${logs} 0-50`]),
    })
  })

  test('also uncovers tables that would cover the range alone without any row', () => {
    const [a, b] = [file(3, of('s', 0, 10)), file(1, of('s', 10, 20))]
    const inventory = lake({ t: [a, b], u: [] }, [covered('t', 's', 0, 20, 4), covered('u', 's', 0, 20, 0)])
    expect(plan(inventory, [a])).toMatchObject({ cuts: ['t n/s 0-10', 'u n/s 0-10'] })
    const blocks = lake({ t: [a, b], blocks: [] }, [covered('t', 's', 0, 20, 4), covered('blocks', 's', 0, 20, 0)])
    expect(plan(blocks, [a])).toMatchObject({ cuts: ['t n/s 0-10'] })
  })

  test('of unknown content is removed with all rows of its table and network', () => {
    const [a, b] = [file(3), file(4, of('s', 10, 20))]
    const inventory = lake({ t: [a, b] }, [covered('t', 's', 0, 20, 7)], { 't list': 0 })
    expect(plan(inventory, [a])).toMatchObject({
      files: [a.id, b.id],
      cuts: expect.arrayContaining(['t n/s 0-20']),
      lists: ['n/list'],
    })
    const other = { ...file(2, { stream: 'm/s', slice: slice(0, 20) }), network: 'm' }
    const row = { ...covered('t', 's', 0, 20, 2), network: 'm', stream: 'm/s' }
    const two = lake({ t: [a, b, other] }, [covered('t', 's', 0, 20, 7), row])
    expect(plan(two, [a])).toMatchObject({ files: [a.id, b.id] })
    expect(plan(two, [other])).toMatchObject({ files: [other.id], cuts: ['t m/s 0-20'] })
    // The rows of the other files may be in this file too.
    expect(plan(inventory, [b])).toMatchObject({ files: [a.id, b.id] })
  })
})

test('a damaged file of lists is removed alone, and the lists are read again', () => {
  const [a, b] = [file(3, of('l'), of('m')), file(4, of('l'))]
  expect(plan(lake({ t: [a, b] }, [], { 't l': 5, 't m': 2 }), [a])).toMatchObject({
    files: [a.id],
    cuts: [],
    lists: ['n/l', 'n/m'],
  })
})

test('rows that are requested by key are requested again, because the record of their requests is removed too', () => {
  const [asked, other, also] = [file(2, of('k')), file(2, of('l')), file(3, of('k'))]
  const inventory = lake({ asked: [asked, other], also: [also] }, [], {
    'asked k': 2,
    'asked l': 2,
    'also k': 3,
  })
  expect(plan(inventory, [also])).toMatchObject({ files: [asked.id, also.id], lists: ['n/k'] })
  expect(plan(inventory, [asked])).toMatchObject({ files: [asked.id] })
})

test('rows that cannot be read again stay until their loss is accepted', () => {
  const [a, b] = [file(3, of('o')), file(4, of('o'))]
  const inventory = lake({ readings: [a, b] }, [], { 'readings o': 7 })
  expect(plan(inventory, [a])).toMatchObject({ files: [], lost: [a.id] })
  expect(plan(inventory, [a], { acceptLoss: true })).toMatchObject({ files: [a.id], lost: [a.id] })
})

test('a repair with --stream removes files of the named tables', () => {
  const [a, b] = [file(3, of('s', 0, 10)), file(4, of('s', 0, 10))]
  const inventory = lake({ t: [a], u: [b] }, [covered('t', 's', 0, 10, 3), covered('u', 's', 0, 10, 4)])
  const requested = (tables: string[] | null) => ({ slices: [{ stream: 'n/s', slice: slice(2, 4), tables }] })
  expect(plan(inventory, [], requested(null)).files).toEqual([a.id, b.id])
  expect(plan(inventory, [], requested(['t']))).toMatchObject({ files: [a.id], cuts: ['t n/s 0-10', 't n/s 2-4'] })
})
