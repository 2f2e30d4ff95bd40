import { expect, test } from 'vitest'
import type { ListEvent } from '../../../src/run/lists/list-pages.ts'
import { orderedLists } from '../../../src/run/lists/observation-walk.ts'

/** Lists with pages that are available immediately; `given` counts the pages that were read of each list. */
function lists(count: number, pages: number, pageSize: number) {
  const given = Array.from({ length: count }, () => 0)
  const items = Array.from({ length: pageSize }, (_, index) => ({ key: `item-${index}`, time: null }))
  const tasks = given.map((_, about) => {
    return {
      about,
      async *pages(): AsyncGenerator<ListEvent, void, undefined> {
        for (let page = 0; page < pages; page++) {
          given[about] = page + 1
          yield { page: { rows: {}, items, next: page + 1 < pages ? 'more' : null }, mark: null }
        }
      },
    }
  })
  return { given, tasks: tasks.values() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test.each([
  ['small pages', 10, 40],
  ['large pages', 5000, 2],
])('ordered lists read ahead only a bounded number of items (%s)', async (_, pageSize, ahead) => {
  const { given, tasks } = lists(3, 100, pageSize)
  const order: number[] = []
  for await (const event of orderedLists(tasks, { atOnce: 2, stop: new AbortController().signal })) {
    await turn()
    if ('page' in event) order.push(event.about)
    if (order.length === 50) expect(given).toEqual([expect.any(Number), ahead, 0])
    expect(given[0]).toBeLessThanOrEqual(order.length + ahead + 1)
  }
  expect(order).toEqual([0, 1, 2].flatMap((about) => Array.from({ length: 100 }, () => about)))
})
