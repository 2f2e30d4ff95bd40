import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import type { ListWalk, StreamDeclaration, Table } from '../../../src/define/index.ts'
import type { ServiceClient } from '../../../src/sources/service-client.ts'
import { runs } from '../../runs.ts'
import { items, newItemLake, rowsOf, runStream, versions } from './item-lake.ts'
import { createListService, decodeVersions, type Item, type ListService, listOf } from './list-service.ts'

const newestFirst = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `item-${count - 1 - index}`, time: 1000 + count - 1 - index }))

const walks: Readonly<
  Record<'pageChain' | 'timeWindow' | 'snapshot', (range: { from: number; to: number }) => ListWalk>
> = {
  pageChain: (range) => ({ kind: 'pageChain', list: listOf(range), trailing: 5 }),
  timeWindow: ({ from, to }) => ({
    kind: 'timeWindow',
    from,
    to,
    head: { request: listOf().request(null), decode: () => 1_000_000 },
    ahead: 0,
    list: (slice) => listOf(slice),
    trailing: 5,
    first: 7,
  }),
  snapshot: (range) => ({ kind: 'snapshot', subjects: [{ name: 'some', lists: [listOf(range, decodeVersions)] }] }),
}

/** A stream with the items of a range. Other streams may have the same items. */
function streamOf(kind: keyof typeof walks, range: { from: number; to: number }, place: number): StreamDeclaration {
  const tables: Record<string, Table> = kind === 'snapshot' ? { versions } : { items }
  return { stream: { network: 'test', path: `${kind}/${place}`, parameters: {} }, tables, walk: walks[kind](range) }
}

function rowsByTable(tables: readonly { readonly name: string; readonly rows: number }[]): Record<string, number> {
  const sums: Record<string, number> = { [items.name]: 0, [versions.name]: 0 }
  for (const { name, rows } of tables) sums[name] = (sums[name] ?? 0) + rows
  return sums
}

/** A client that waits for some milliseconds before each request. */
function slow(service: ListService, turns: number): ServiceClient {
  return {
    ...service.client,
    ask: async (request, options) => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
      return service.client.ask(request, options)
    },
  }
}

describe('concurrent runs that fill one table', () => {
  test('store each row once, even if several of them see it', async () => {
    const run = fc.record({
      kind: fc.constantFrom('pageChain' as const, 'timeWindow' as const, 'snapshot' as const),
      range: fc.tuple(fc.integer({ min: 1000, max: 1060 }), fc.integer({ min: 1, max: 60 })),
      turns: fc.nat(3),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(run, { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        async (runs, pageSize) => {
          const lake = newItemLake()
          const service = createListService(newestFirst(120), pageSize)
          await runStream(lake, streamOf('pageChain', { from: 0, to: 1 }, -1), service.client)
          const seen = { items: new Set<string>(), versions: new Set<string>() }
          const requested = runs.map(({ kind, range: [from, length], turns }, place) => {
            const range = { from, to: from + length }
            const table = kind === 'snapshot' ? 'versions' : 'items'
            for (const { id, time } of service.items) if (time >= from && time < range.to) seen[table].add(id)
            return { stream: streamOf(kind, range, place), turns }
          })
          const results = await Promise.all(
            requested.map(({ stream, turns }) => runStream(lake, stream, slow(service, turns))),
          )
          const ids = async (table: Table) =>
            ((await rowsOf(lake, table)) as { item_id: string }[]).map(({ item_id }) => item_id).sort()
          expect(await ids(items)).toEqual([...seen.items].sort())
          expect(await ids(versions)).toEqual([...seen.versions].sort())
          const stored = { [items.name]: seen.items.size, [versions.name]: seen.versions.size }
          expect(rowsByTable(results.flatMap(({ tables }) => tables))).toMatchObject(stored)
          const { streams } = await (await openCatalog({ folder: lake }, [items, versions])).status()
          const written = streams.flatMap(({ tables }) => tables.map(({ table: name, rows }) => ({ name, rows })))
          expect(rowsByTable(written)).toMatchObject(stored)
        },
      ),
      { numRuns: runs(2) },
    )
  })
})
