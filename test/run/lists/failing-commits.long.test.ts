import { describe, expect, test } from 'vitest'
import type { StreamDeclaration, Walk } from '../../../src/define/index.ts'
import { createBreaker } from '../breaking.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import { createListService, decodeItems, type Item, type ListService, listOf } from './list-service.ts'

const count = 20
const newestFirst: Item[] = Array.from({ length: count }, (_, index) => ({
  id: `item-${count - 1 - index}`,
  time: 1000 + count - 1 - index,
}))

const walks: Record<string, (service: ListService) => Walk> = {
  'a list with the newest first': () => ({ kind: 'pageChain', list: listOf(), trailing: 2 }),
  'a list with the oldest first': () => ({
    kind: 'oldestFirst',
    list: listOf({ order: 'asc' }),
    newestFirst: listOf(),
    trailing: 2,
  }),
  'windows of times': ({ items: [newest] }) => ({
    kind: 'timeWindow',
    from: 1000,
    to: null,
    head: { request: listOf().request(null), decode: () => newest!.time },
    ahead: 0,
    list: (slice) => listOf(slice),
    trailing: 2,
    first: 4,
  }),
  keys: ({ items }) => ({
    kind: 'keyed',
    keys: items.map(({ id, time }) => ({
      key: { item_id: id },
      request: listOf({ from: time, to: time + 1 }).request(null),
      decode: (answer, context) => decodeItems(answer, context, null),
    })),
  }),
}

/** Failures that once lost rows. failing-catalog.full.test.ts breaks every call of every walk. */
describe.each(Object.entries(walks))('%s', (kind, walk) => {
  // A range with so few pages is one window and therefore one commit.
  const commits = kind === 'windows of times' ? 1 : 2
  /** How the walk finds rows that the lake has. */
  const finding = 'findRows'
  test.each([
    ['commit', 'before'],
    ['commit', 'after'],
    [finding, 'before'],
  ] as const)('no row is lost or duplicated when %s fails %s its work is done', async (name, when) => {
    const lake = newItemLake()
    const service = createListService(newestFirst, 3)
    const stream = (path: string, of: ListService): StreamDeclaration => ({
      stream: { network: 'test', path, parameters: {} },
      tables: { items },
      walk: walk(of),
    })
    // Another stream has stored rows that the run compares its own rows with.
    const others = createListService(newestFirst.slice(9, 11), 3)
    await runStream(lake, stream('others', others), others.client)
    const breaker = createBreaker({ name, call: name === finding ? 1 : commits, when, as: 'source' })
    const options = { unitPages: 2, breaker }
    await expect(runStream(lake, stream('items', service), service.client, options)).rejects.toThrow('broke')
    await runStream(lake, stream('items', service), service.client, { unitPages: 2 })
    const rows = (await rowsOf(lake, items)) as { item_id: string }[]
    expect(rows.map(({ item_id }) => item_id).sort()).toEqual(newestFirst.map(({ id }) => id).sort())
  })
})
