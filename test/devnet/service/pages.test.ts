import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FaultKind } from '../../../devnet/serve.ts'
import { listRoute } from '../../../devnet/service/plumbing/route.ts'
import { runs } from '../../runs.ts'
import { type Ask, asking, readAll } from './asking.ts'

const list = { rows: [] as { n: number; weight: number }[], pinned: false }
const routes = [
  listRoute({
    path: '/v1/numbers',
    parameters: {},
    pageSize: { default: 10, most: 100 },
    cost: 'free',
    handle: () => {
      const rows = [...list.rows]
      return {
        items: 'numbers',
        rows,
        pinned: list.pinned,
        extra: { length: rows.length },
        cut: { weigh: (index) => rows[index]!.weight, most: 50 },
      }
    },
  }),
  listRoute({
    path: '/v2/numbers',
    host: 'metrics',
    parameters: {},
    pageSize: { default: 7 },
    cost: 'free',
    handle: () => ({ items: 'numbers', rows: { count: list.rows.length, at: async (index) => list.rows[index]! } }),
  }),
]

function fill(count: number, weight = 1): void {
  list.rows = Array.from({ length: count }, (_, n) => ({ n: count - n, weight }))
  list.pinned = false
}

const numbers = (pages: any[][]): number[] => pages.flat().map(({ n }) => n)
const down = (from: number) => Array.from({ length: from }, (_, k) => from - k)
const first = async (ask: Ask, url = '/v1/numbers?pageSize=10') => (await ask(url)).body.nextPageToken as string

describe('pages', () => {
  test('of the default size and of a given size give the list once, in order', async () => {
    fill(25)
    const ask = asking(routes)
    const byDefault = await readAll(ask, '/v1/numbers?', 'numbers')
    expect(byDefault.map((page) => page.length)).toEqual([10, 10, 5])
    expect(numbers(byDefault)).toEqual(down(25))
    expect(numbers(await readAll(ask, '/v1/numbers?pageSize=4', 'numbers'))).toEqual(down(25))
    expect((await readAll(ask, '/v2/numbers?pageSize=100', 'numbers')).map((page) => page.length)).toEqual([7, 7, 7, 4])
  })

  test('end early, with a page token, when their rows are heavy', async () => {
    fill(25, 20)
    const pages = await readAll(asking(routes), '/v1/numbers?', 'numbers')
    expect(pages[0]).toHaveLength(3)
    expect(numbers(pages)).toEqual(down(25))
  })

  test('end with a missing page token, or in the node dialect also with an empty one', async () => {
    fill(3)
    const ends = (ask: Ask) => Promise.all(['a', 'bb'].map((x) => ask(`/v1/numbers?${x}`)))
    const tokens = async (ask: Ask) => (await ends(ask)).map(({ body }) => body.nextPageToken)
    expect((await tokens(asking(routes, { dialect: 'spec' }))).every((token) => token === undefined)).toBe(true)
    expect(new Set(await tokens(asking(routes, { dialect: 'node' })))).toEqual(new Set([undefined, '']))
  })

  test('of a list that grows at its head repeat some rows and miss none', async () => {
    fill(25)
    const ask = asking(routes)
    const token = await first(ask)
    list.rows.unshift({ n: 26, weight: 1 })
    const pages = await readAll(ask, `/v1/numbers?pageToken=${token}`, 'numbers')
    expect(numbers(pages)[0]).toBe(16)
    expect(numbers(pages)).toEqual(down(16))
  })

  test('of a pinned list stay the same when the list changes', async () => {
    fill(25)
    list.pinned = true
    const ask = asking(routes)
    const token = await first(ask)
    list.rows.splice(0, 5)
    expect((await ask(`/v1/numbers?pageToken=${token}`)).body.length).toBe(25)
    expect(numbers(await readAll(ask, `/v1/numbers?pageToken=${token}`, 'numbers'))).toEqual(down(15))
  })
})

describe('page tokens', () => {
  test('of another list or unknown ones are refused on the data host and restart the list on the metrics host', async () => {
    fill(25)
    const ask = asking(routes)
    const token = await first(ask)
    expect((await ask(`/v1/numbers?other=1&pageToken=${token}`)).body).toEqual({
      message: 'Invalid or expired pageToken',
      statusCode: 400,
      error: 'Bad Request',
    })
    expect((await ask('/v1/numbers?pageToken=none')).status).toBe(400)
    expect((await ask('/v2/numbers?pageToken=none')).body.numbers[0].n).toBe(25)
    expect((await ask(`/v1/numbers?pageSize=5&pageToken=${token}`)).body.numbers[0].n).toBe(15)
    expect((await ask(`/v1/numbers?pageSize=5&pageToken=${token}`)).body.numbers[0].n).toBe(15)
  })

  test.each([
    ['refuse', 400, undefined],
    ['restart', 200, 25],
  ] as const)('that have expired have the configured effect: %s', async (end, status, n) => {
    fill(25)
    const clock = { now: 0 }
    const ask = asking(routes, { tokens: { lifeMs: 1_000, end } }, clock)
    const token = await first(ask)
    clock.now = 999
    expect((await ask(`/v1/numbers?pageToken=${token}`)).body.numbers[0].n).toBe(15)
    clock.now = 1_000
    const late = await ask(`/v1/numbers?pageToken=${token}`)
    expect([late.status, late.body.numbers?.[0].n]).toEqual([status, n])
  })
})

describe('list faults', () => {
  test('shorten, empty, shift or restart the list, or expire its page token', async () => {
    fill(25)
    const ask = asking(routes)
    const under = async (fault: FaultKind, token?: string) =>
      ask(`/v1/numbers?${token === undefined ? '' : `pageToken=${token}`}`, { fault })
    expect((await under('short-page')).body.numbers).toHaveLength(5)
    const empty = await under('empty-page')
    expect(empty.body.numbers).toEqual([])
    expect((await under('empty-page', empty.body.nextPageToken)).body.numbers[0].n).toBe(25)
    expect((await under('shifting-list', await first(ask))).body.numbers[0].n).toBe(18)
    expect((await under('shifting-list')).body.numbers[0].n).toBe(25)
    const dead = await first(ask)
    expect((await under('expired-token', dead)).status).toBe(400)
    expect((await ask(`/v1/numbers?pageToken=${dead}`)).status).toBe(400)
    expect((await under('restarted-token', await first(ask))).body.numbers[0].n).toBe(25)
    // Two tokens have been invalidated, so the reader now reaches the end.
    expect((await under('expired-token', await first(ask))).body.numbers[0].n).toBe(15)
  })

  test('let a reader that retries reach the end without losing a row', async () => {
    const kinds = fc.constantFrom<(FaultKind | null)[]>(
      null,
      'short-page',
      'empty-page',
      'shifting-list',
      'expired-token',
      'restarted-token',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(kinds, { minLength: 1, maxLength: 7 }),
        async (count, pageSize, faults) => {
          fill(count)
          const pages = await readAll(asking(routes), `/v1/numbers?pageSize=${pageSize}`, 'numbers', (request) => {
            return faults[request % faults.length]!
          })
          expect(new Set(numbers(pages))).toEqual(new Set(down(count)))
        },
      ),
      { numRuns: runs(200) },
    )
  })
})
