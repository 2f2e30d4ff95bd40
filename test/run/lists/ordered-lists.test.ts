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

test('a failure of a list comes after the pages before it, and leaving early ends the reading of other lists', async () => {
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', onUnhandled)
  const page: ListEvent = { page: { rows: {}, items: [], next: 'more' }, mark: null }
  const ended: string[] = []
  const tasks = [
    {
      about: 0,
      async *pages(): AsyncGenerator<ListEvent, void, undefined> {
        yield* [page, page, page]
        throw new Error('no fourth page')
      },
    },
    {
      about: 1,
      // A request that only an abort ends.
      async *pages(signal: AbortSignal): AsyncGenerator<ListEvent, void, undefined> {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    },
    {
      about: 2,
      async *pages(signal: AbortSignal): AsyncGenerator<ListEvent, void, undefined> {
        for (let at = 0; at < 1000; at++) {
          await turn()
          if (signal.aborted) ended.push('request after the end')
          yield page
        }
      },
    },
  ]
  const taken: number[] = []
  const read = async () => {
    for await (const { about } of orderedLists(tasks.values(), { atOnce: 3, stop: new AbortController().signal })) {
      await turn()
      taken.push(about)
    }
  }
  await expect(read()).rejects.toThrow('no fourth page')
  expect(taken).toEqual([0, 0, 0])
  for (let at = 0; at < 20; at++) await turn()
  expect(ended.length).toBeLessThanOrEqual(1)
  expect(unhandled).toEqual([])
  process.off('unhandledRejection', onUnhandled)
})
