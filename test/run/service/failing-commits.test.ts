import { describe, expect, test } from 'vitest'
import type { StreamDeclaration, Walk } from '../../../src/define/index.ts'
import { createBreaker } from '../breaking.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import { createListService, type Item, type ListService, listOf } from './list-service.ts'

const count = 20
const newestFirst: Item[] = Array.from({ length: count }, (_, index) => ({
  id: `item-${count - 1 - index}`,
  time: 1000 + count - 1 - index,
}))

const walks: Record<string, (service: ListService) => Walk> = {
  'a list with the newest first': () => ({ kind: 'pageChain', list: listOf(), trailing: 5 }),
  'a list with the oldest first': () => ({
    kind: 'oldestFirst',
    list: listOf({ order: 'asc' }),
    newestFirst: listOf(),
    trailing: 5,
  }),
  'windows of times': ({ items: [newest] }) => ({
    kind: 'timeWindow',
    from: 1000,
    to: null,
    head: { request: listOf().request(null), decode: () => newest!.time },
    ahead: 0,
    list: (slice) => listOf(slice),
    trailing: 5,
    first: 4,
  }),
}

/** Every call of a walk is broken in test/long; here those that lost rows. */
describe.each(Object.entries(walks))('%s', (_, walk) => {
  test.each([
    ['commit', 'before'],
    ['commit', 'after'],
    ['tableFiles', 'before'],
    ['afterCommit', 'before'],
  ] as const)('loses and doubles nothing when %s fails %s its work is done', async (name, when) => {
    const lake = newItemLake()
    const service = createListService(newestFirst, 3)
    const stream: StreamDeclaration = {
      stream: { network: 'test', path: 'items', parameters: {} },
      tables: { items },
      walk: walk(service),
    }
    const breaker = createBreaker({ name, call: 1, when })
    await expect(runStream(lake, stream, service.client, { unitPages: 2, breaker })).rejects.toThrow('broke')
    await runStream(lake, stream, service.client, { unitPages: 2 })
    const rows = (await rowsOf(lake, items)) as { item_id: string }[]
    expect(rows.map(({ item_id }) => item_id).sort()).toEqual(newestFirst.map(({ id }) => id).sort())
  })
})
