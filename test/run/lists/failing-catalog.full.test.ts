import { describe, expect, test } from 'vitest'
import type { DecodePage, StreamDeclaration, Table, Walk } from '../../../src/define/index.ts'
import { createBreaker } from '../breaking.ts'
import { items, newItemLake, observed, rowsOf, runStream, versions } from './item-lake.ts'
import {
  createListService,
  decodeItems,
  decodeObserved,
  decodeVersions,
  type Item,
  type ListService,
  listOf,
} from './list-service.ts'

type Case = { readonly tables: Record<string, Table>; readonly walk: (service: ListService) => Walk }

const newestFirst = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `item-${count - 1 - index}`, time: 1000 + count - 1 - index }))
const before = newestFirst(10)
const after = newestFirst(22)

/** Every second item is also decoded as a row that never changes. */
const decodeBoth: DecodePage = (answer, context) => {
  const { rows } = decodeItems(answer, context)
  const page = decodeObserved(answer, context)
  const lasting = (rows['items'] as { item_id: string }[]).filter(({ item_id }) => /[02468]$/.test(item_id))
  return { ...page, rows: { ...page.rows, items: lasting } }
}

const ranged =
  (kind: 'blockWindow' | 'timeWindow' | 'heightRange') =>
  (service: ListService): Walk => ({
    kind,
    from: 1000,
    to: null,
    head: { request: listOf().request(null), decode: () => service.items[0]?.time ?? null },
    ahead: 0,
    list: (slice) => listOf(slice),
    trailing: kind === 'heightRange' ? 0 : 3,
    first: 4,
  })

const cases: Record<string, Case> = {
  'a list with the newest first': {
    tables: { items },
    walk: () => ({ kind: 'pageChain', list: listOf(), trailing: 2 }),
  },
  'a list with the oldest first': {
    tables: { items },
    walk: () => ({ kind: 'oldestFirst', list: listOf({ order: 'asc' }), newestFirst: listOf(), trailing: 2 }),
  },
  'windows of blocks': { tables: { items }, walk: ranged('blockWindow') },
  'windows of times': { tables: { items }, walk: ranged('timeWindow') },
  'a range of heights': { tables: { items }, walk: ranged('heightRange') },
  'an observation': {
    tables: { observed, items },
    walk: () => ({ kind: 'snapshot', subjects: [{ name: 'everything', lists: [listOf({}, decodeBoth)] }] }),
  },
  versions: {
    tables: { versions },
    walk: () => ({ kind: 'snapshot', subjects: [{ name: 'everything', lists: [listOf({}, decodeVersions)] }] }),
  },
  'a series': {
    tables: { versions },
    walk: () => ({ kind: 'series', list: listOf({}, decodeVersions), from: 0, interval: 1, again: 3 }),
  },
  keys: {
    tables: { items },
    walk: (service) => ({
      kind: 'keyed',
      keys: service.items.map(({ id, time }) => ({
        key: { item_id: id },
        request: listOf({ from: time, to: time + 1 }).request(null),
        decode: (answer, context) => decodeItems(answer, context, null),
      })),
    }),
  },
}

/** Creates a lake with the first items, then runs once with the breaker (if given) and once without it. */
async function exported({ tables, walk }: Case, breaker?: ReturnType<typeof createBreaker>) {
  const lake = newItemLake()
  const service = createListService(before, 3)
  const stream = (): StreamDeclaration => ({
    stream: { network: 'test', path: 'items', parameters: {} },
    tables,
    walk: walk(service),
  })
  const options = { unitPages: 2 }
  await runStream(lake, stream(), service.client, options)
  service.items = after
  const failed =
    breaker === undefined
      ? undefined
      : await runStream(lake, stream(), service.client, { ...options, breaker }).then(
          () => undefined,
          (error: Error) => error,
        )
  await runStream(lake, stream(), service.client, options)
  const rows = await Promise.all(Object.values(tables).map((table) => rowsOf(lake, table)))
  return { failed, rows: rows.map(comparable) }
}

/** Rows without the columns that differ between runs. Observations with the same rows count as one. */
function comparable(rows: readonly object[]): string[] {
  const texts = rows.map((row) => {
    const { network, item_id, item_time, present, version_hash } = row as Record<string, unknown>
    return [network, item_id, item_time, present, version_hash].join(' ')
  })
  const observations = new Set(rows.map((row) => (row as Record<string, unknown>)['observation_id']))
  return [...(observations.size > 0 && rows.some((row) => !('present' in row)) ? new Set(texts) : texts)].sort()
}

/** By default every sixth call fails, starting at another one in each case. `CHAINLAKE_FAILING_CALLS=all` tries each. */
const step = process.env['CHAINLAKE_FAILING_CALLS'] === 'all' ? 1 : 6

describe.each(Object.entries(cases).map(([name, each], at) => [name, each, at] as const))('%s', (_, each, at) => {
  test.each(['before', 'after'] as const)(
    'no row is lost or duplicated when a call to the catalog or the lake fails %s its work is done',
    async (when) => {
      const { rows: quiet } = await exported(each)
      const first = 1 + ((at + (when === 'before' ? 0 : 1)) % step)
      for (let call = first; ; call += step) {
        const breaker = createBreaker({ call, when })
        const { failed, rows } = await exported(each, breaker)
        const broken = breaker.broken()
        if (broken === null) break
        expect(failed, `call ${call}, ${broken}`).toBeInstanceOf(Error)
        expect(rows, `call ${call}, ${broken}`).toEqual(quiet)
      }
    },
  )
})
