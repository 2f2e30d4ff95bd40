import { expect, test } from 'vitest'
import type { RangeWalk, StreamDeclaration } from '../../../src/define/index.ts'
import type { Slice } from '../../../src/model.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import { createListService, type Item, type ListAnswer, listOf } from './list-service.ts'

function window(kind: RangeWalk['kind'], order: { order?: 'asc' }): StreamDeclaration {
  return {
    stream: { network: 'test', path: 'window', parameters: {} },
    tables: { items },
    walk: {
      kind,
      from: 0,
      to: 100,
      head: { request: listOf().request(null), decode: () => 1000 },
      ahead: 0,
      list: (slice: Slice) => listOf({ ...slice, ...order }),
      trailing: 0,
      first: 16,
    },
  }
}

const newestFirst: readonly Item[] = Array.from({ length: 90 }, (_, at) => ({ id: `item-${90 - at}`, time: 90 - at }))
const faults: readonly [string, (answer: ListAnswer, page: number) => ListAnswer][] = [
  ['a page without a token', (answer, page) => (page === 1 ? { items: answer.items } : answer)],
  ['no token at all', ({ items: own }) => ({ items: own })],
  ['an empty last page', (answer, page) => (page === 2 ? { items: [] } : answer)],
]

test.each(
  faults.flatMap((fault) => ([{}, { order: 'asc' as const }] as const).map((order) => [...fault, order] as const)),
)('a window has all rows when its list ends early: %s', async (_name, lie, order) => {
  const lake = newItemLake()
  const service = createListService(newestFirst, 20)
  let page = 0
  service.lie = (answer, _requests, { from }) => (from === undefined ? answer : lie(answer, ++page))
  await runStream(lake, window('blockWindow', order), service.client)
  expect(await rowsOf(lake, items)).toHaveLength(90)
})

test('a list that ends with a page that is not full costs no other request', async () => {
  const service = createListService(newestFirst.slice(0, 9), 20)
  await runStream(newItemLake(), window('blockWindow', {}), service.client)
  expect(service.requests).toBe(3)
})
