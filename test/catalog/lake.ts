import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Catalog, openCatalog } from '../../src/catalog/catalog.ts'
import { createEmptyLake } from '../../src/catalog/lake.ts'
import type { LakeLocation } from '../../src/catalog/place.ts'
import type { Table } from '../../src/define/index.ts'
import { identity, month, t, table } from '../../src/define/index.ts'
import type { LeafStats, Part, SliceEnds, Stream, Stretch } from '../../src/model.ts'

export const stream: Stream = { network: 'local', path: 'P/block', parameters: {} }

export const detailFields = { memo: t.blob('Memo.', { nullable: true }), weight: t.u64('Weight.') }

/** A table with every shape that the catalog must represent: a list, a struct, a month, nullable columns. */
export const events = table({
  name: 'events',
  comment: "One row per event; it's a test.",
  key: ['network', 'height'],
  sortBy: ['height'],
  partitionBy: [identity('network'), month('block_time')],
  columns: {
    network: t.text('Network.'),
    height: t.int64('Height.'),
    block_time: t.timestamp('Time.', { nullable: true }),
    amount: t.u64('Amount.'),
    owners: t.list(t.address('Owner.'), 'Owners.', { nullable: true }),
    detail: t.struct(detailFields, 'Detail.', { nullable: true }),
  },
})

export const names = table({
  name: 'names',
  comment: 'One row per name.',
  key: ['network', 'name'],
  sortBy: ['name'],
  partitionBy: [identity('network')],
  columns: { network: t.text('Network.'), name: t.text('Name.') },
})

export const tables = [events, names]

export function newLakeDir(): string {
  return join(mkdtempSync(join(tmpdir(), 'chainlake-catalog-')), 'lake')
}

/** Ends of `[from, to)` on the chain that all well-behaved sources of these tests serve. */
export function endsOf(from: number, to: number): SliceEnds {
  return { firstId: `id-${from}`, firstParentId: `id-${from - 1}`, lastId: `id-${to - 1}` }
}

export function leaf(fieldId: number, rows: number, min: string | null, max: string | null): LeafStats {
  return { fieldId, columnBytes: 10, valueCount: rows, nullCount: min === null ? rows : 0, min, max }
}

/** A part of `events` with the rows `[from, to)` of one month. */
export function eventsPart(runId: string, from: number, to: number, sequence = 0): Part {
  const rows = to - from
  const stats = [
    leaf(1, rows, 'local', 'local'),
    leaf(2, rows, String(from), String(to - 1)),
    leaf(3, rows, '2026-11-01 00:00:00+00', '2026-11-21 10:45:00.5+00'),
    leaf(4, rows, '0', String(from)),
    leaf(6, rows, 'a', 'b'),
    leaf(8, rows, null, null),
    leaf(9, rows, '1', '18446744073709551615'),
  ]
  return {
    table: 'events',
    path: `data/events/network=local/month=2026-11/${String(from).padStart(12, '0')}-${runId}-${sequence}.parquet`,
    rows,
    bytes: rows * 10,
    footerBytes: 100,
    sha256: hash('sha256', contents(rows * 10)),
    partition: ['local', '2026-11'],
    stats,
  }
}

/** A segment with the keys of the items from `from` (the newest) down to `to`, with a token if the list continues. */
export function stretch(from: number, to: number, token: string | null = null): Stretch {
  return {
    topKeys: [`k${from}`, `k${from - 1}`],
    topTime: from * 10,
    bottomKeys: [`k${to}`],
    bottomTime: null,
    token,
    tokenAtMs: token === null ? null : 1_795_000_000_000,
    end: token === null,
    hole: null,
    items: from - to + 1,
  }
}

/** The content of a file of this size in bytes. */
function contents(bytes: number): string {
  return 'p'.repeat(bytes)
}

/** Writes a file of the part's size to the part's path. */
export function writePart(lake: string, part: Part): Part {
  const file = join(lake, part.path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, contents(part.bytes))
  return part
}

/** Creates a lake in an empty or missing folder, or opens the existing lake. */
export async function createLake(
  lake: LakeLocation,
  declared: readonly Table[],
  options: Parameters<typeof openCatalog>[2] = {},
): Promise<Catalog> {
  await createEmptyLake(lake)
  return openCatalog(lake, declared, options)
}
