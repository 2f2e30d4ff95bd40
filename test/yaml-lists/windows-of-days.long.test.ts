import { afterEach, describe, expect, test, vi } from 'vitest'
import { query } from '../run/lake-run.ts'
import { json, read } from './quirky-service.ts'

afterEach(() => void vi.useRealTimers())

type Item = { readonly id: string; readonly at: string }

const first = Date.UTC(2026, 0, 1)
const dayAt = (n: number) => new Date(first + n * 86_400_000).toISOString().slice(0, 10)
/** Items of days, at times of the day or with the day as their time. */
const itemsOf = (days: number, perDay: number, withTime: boolean): Item[] =>
  Array.from({ length: days * perDay }, (_, n) => {
    const [day, place] = [Math.floor(n / perDay), n % perDay]
    return { id: `i${n}`, at: withTime ? `${dayAt(day)}T${String(place % 24).padStart(2, '0')}:00:00Z` : dayAt(day) }
  })

const walk = 'walk: { kind: timeWindow, column: seen, head: { behind-seconds: 3600 } }'
const days = (more = '') => `items: items\nquery: { since: "{from:date}", before: "{to:date}"${more} }\n${walk}`
const inDays = (items: readonly Item[], q: URLSearchParams) =>
  items.filter(({ at }) => at.slice(0, 10) >= q.get('since')! && at.slice(0, 10) < q.get('before')!)
const stored = async (lake: string) =>
  query(lake, 'SELECT count(*)::INT AS n, count(DISTINCT item_id)::INT AS ids FROM items')

/** A lake read twice from a service that answers with so many items at most. */
async function readCut(items: readonly Item[], most: number, list: string, unit: string) {
  const served = { most }
  const { lake, run, server } = await read(
    (q) => json({ items: inDays(items, q).slice(0, served.most) }),
    list,
    `, unit: ${unit}`,
  )
  return { lake, run, server, served }
}

describe('a window of whole days that a service cuts off', () => {
  const orders: readonly [string, (items: readonly Item[]) => readonly Item[]][] = [
    ['oldest first', (items) => items],
    ['newest first', (items) => items.toReversed()],
    [
      'without an order',
      (items) =>
        items.toSorted((a, b) => ((Number(a.id.slice(1)) * 7919) % 101) - ((Number(b.id.slice(1)) * 7919) % 101)),
    ],
  ]
  test.each(orders.flatMap(([name, order]) => [true, false].map((withTime) => [name, withTime, order] as const)))(
    'has all rows: %s, with times %s',
    async (_, withTime, order) => {
      const { lake, run } = await readCut(order(itemsOf(30, 4, withTime)), 10, days(), withTime ? 'iso' : 'date')
      await run()
      expect(await stored(lake)).toEqual([{ n: 120, ids: 120 }])
      await run()
      expect(await stored(lake)).toEqual([{ n: 120, ids: 120 }])
    },
  )

  test.each([
    ['says nothing of their number', days(), orders[0]![1]],
    ['says nothing of their number', days(), orders[1]![1]],
    ['asks for fewer', days(', limit: 12'), orders[0]![1]],
  ])('does not count as read if one day has more than an answer, where the request %s', async (_, list, order) => {
    const items = order([
      ...itemsOf(5, 3, true),
      ...itemsOf(6, 15, true)
        .slice(75)
        .map(({ id, at }) => ({ id: `d${id}`, at })),
    ])
    const { lake, run, served } = await readCut(items, 12, list, 'iso')
    for (let runs = 0; runs < 2; runs++)
      await expect(run()).rejects.toMatchObject({
        code: 'transport.early-end',
        message: expect.stringContaining('cuts off'),
      })
    served.most = 100
    if (list.includes('limit')) return
    await run()
    expect(await stored(lake)).toEqual([{ n: 30, ids: 30 }])
  })

  test('has all rows of a day that is as full as others are, without an error', async () => {
    const { lake, run, server } = await readCut(itemsOf(1, 20, false), 100, days(), 'date')
    await run()
    expect(await stored(lake)).toEqual([{ n: 20, ids: 20 }])
    expect(server.received.length).toBeLessThanOrEqual(5)
  })

  test('is read on when a parameter has a name like that of a size', async () => {
    const { lake, run } = await readCut(itemsOf(30, 4, true), 10, days(', account: "1000", country: 840'), 'iso')
    await run()
    expect(await stored(lake)).toEqual([{ n: 120, ids: 120 }])
  })
})

test.each(['date', 'month'])('rows of a %s that is not over are not lost when they appear later', async (unit) => {
  const at = (time: string) => vi.setSystemTime(new Date(time))
  vi.useFakeTimers({ now: new Date('2026-03-10T13:00:00Z'), toFake: ['Date'] })
  const size = unit === 'date' ? 10 : 7
  const time = (text: string) => text.slice(0, size)
  let shown: Item[] = [{ id: 'a', at: time('2026-02-03') }]
  const { lake, run } = await read(
    (q) => json({ items: shown.filter((item) => item.at >= q.get('since')! && item.at < q.get('before')!) }),
    days().replaceAll(':date', `:${unit}`),
    `, unit: ${unit}`,
  )
  await run()
  // Later on the same day, and in the same month.
  at('2026-03-10T23:30:00Z')
  shown = [...shown, { id: 'b', at: time('2026-03-10') }]
  await run()
  at('2026-03-11T05:00:00Z')
  shown = [...shown, { id: 'c', at: time('2026-03-10') }, { id: 'd', at: time('2026-03-11') }]
  await run()
  // A month that is not over may be read only when it is.
  if (unit === 'date') expect(await stored(lake)).toEqual([{ n: 4, ids: 4 }])
  at('2026-05-01T05:00:00Z')
  await run()
  expect(await stored(lake)).toEqual([{ n: 4, ids: 4 }])
})
