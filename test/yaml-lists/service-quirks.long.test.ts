import { expect, test } from 'vitest'
import { query } from '../run/lake-run.ts'
import { json, read, type Serve } from './quirky-service.ts'

/** What services do at the end of their lists, and how they write times, with the declaration that reads each of them. */

const all = Array.from({ length: 25 }, (_, n) => ({ id: `i${25 - n}`, at: 1_700_000_000 + (25 - n) * 10 }))
const offset = 'items: items\npager: { kind: offset, query: offset }\nwalk: { kind: snapshot, store: changes }'
const token = (more = '') =>
  `items: items\npager: { kind: token, at: next, query: cursor${more} }\nwalk: { kind: pageChain, time: seen }`
const at = (query: URLSearchParams, name: string): number => Number((query.get(name) ?? '0').split('-')[0])
const ends = (end: unknown) => (query: URLSearchParams) => {
  const from = at(query, 'cursor')
  return json({ items: all.slice(from, from + 10), next: from + 10 < 25 ? from + 10 : end })
}

const link = (more = '') => `items: items\npager: { kind: link${more} }\nwalk: { kind: pageChain, time: seen }`
const linkTo = (from: number) => ({ link: `</items?o=${from}>; rel="next"` })
const upwards = (pager: string) =>
  `items: items\npager: ${pager}\nwalk: { kind: oldestFirst, time: seen, trailing-seconds: 0 }`

const pages = (from: number) => all.slice(from, from + 10)
const cases: readonly (readonly [string, Serve, string])[] = [
  [
    'a last page with null instead of items',
    (q) => json({ items: pages(at(q, 'offset')).length ? pages(at(q, 'offset')) : null }),
    offset,
  ],
  [
    'an empty page without items',
    (q) => json(pages(at(q, 'offset')).length ? { items: pages(at(q, 'offset')) } : { total: 25 }),
    offset,
  ],
  [
    '204 without a body',
    (q) => (pages(at(q, 'offset')).length ? json({ items: pages(at(q, 'offset')) }) : { status: 204 }),
    offset,
  ],
  [
    '400 for a page after the last',
    (q) =>
      Number(q.get('page')) > 3
        ? json({ message: 'page must not be greater' }, 400)
        : json({ items: pages((Number(q.get('page')) - 1) * 10) }),
    'empty: [400]\nitems: items\npager: { kind: page, query: page }\nwalk: { kind: snapshot, store: changes }',
  ],
  [
    'has_more',
    (q) =>
      json({
        items: pages(at(q, 'cursor')),
        has_more: at(q, 'cursor') + 10 < 25,
        next: String(Math.min(at(q, 'cursor') + 10, 24)),
      }),
    token(', more: has_more'),
  ],
  [
    'a last token that leads to itself',
    (q) => json({ items: pages(at(q, 'cursor')), next: String(Math.min(at(q, 'cursor') + 10, 25)) }),
    token(),
  ],
  [
    'a token that is always new',
    (q, count) => json({ items: pages(at(q, 'cursor')), next: `${Math.min(at(q, 'cursor') + 10, 25)}-${count}` }),
    token(', until: empty'),
  ],
  ['the token null', ends(null), token()],
  ['the token false', ends(false), token()],
  ['the token -1', ends(-1), token(', last: [-1]')],
  ['the token None', ends('None'), token(', last: [None, "null", 0]')],
  [
    'a token that leads to the last page again',
    (q) => {
      const from = Math.min(at(q, 'cursor'), 20)
      return json({ items: pages(from), next: String(from + 10) })
    },
    token(', repeats: end'),
  ],
  [
    'a token of its last item, which is never null',
    (q) => {
      const items = pages(at(q, 'cursor'))
      return json({ items, next: String(at(q, 'cursor') + items.length - 1) })
    },
    token(),
  ],
  [
    'null instead of items, with a token',
    (q) =>
      json({
        items: pages(at(q, 'cursor')).length ? pages(at(q, 'cursor')) : null,
        next: String(at(q, 'cursor') + 10),
      }),
    token(', until: empty'),
  ],
  [
    'a link to the next page',
    (q) => ({ ...json({ items: pages(at(q, 'o')) }), headers: at(q, 'o') < 20 ? linkTo(at(q, 'o') + 10) : {} }),
    link(),
  ],
  [
    'a link to its last page again',
    (q) => {
      const from = Math.min(at(q, 'o'), 20)
      return { ...json({ items: pages(from) }), headers: linkTo(from + 10) }
    },
    link(', repeats: end'),
  ],
  [
    'a last page for all greater numbers',
    (q) => json({ items: pages(Math.min(Number(q.get('page')), 3) * 10 - 10) }),
    'items: items\npager: { kind: page, query: page, repeats: end }\nwalk: { kind: snapshot, store: changes }',
  ],
  [
    'pages from 0 on',
    (q) => json({ items: pages(Number(q.get('page')) * 10) }),
    'items: items\npager: { kind: page, query: page, first: 0 }\nwalk: { kind: snapshot }',
  ],
  [
    'pages of items by id',
    (q) => json({ items: Object.fromEntries(pages(at(q, 'offset')).map(({ id, at }) => [id, { at }])) }),
    `keyed-by: id\n${offset}`,
  ],
  [
    'its oldest item first, and a token that is null at its end',
    (q) => {
      const from = at(q, 'cursor')
      return json({ items: all.toReversed().slice(from, from + 10), next: from + 10 < 25 ? String(from + 10) : null })
    },
    upwards('{ kind: token, at: next, query: cursor }'),
  ],
  [
    'its oldest item first, and links',
    (q) => ({
      ...json({ items: all.toReversed().slice(at(q, 'o'), at(q, 'o') + 10) }),
      headers: at(q, 'o') < 20 ? linkTo(at(q, 'o') + 10) : {},
    }),
    upwards('{ kind: link }'),
  ],
  [
    'items by id',
    () => json({ items: Object.fromEntries(all.map(({ id, at }) => [id, { at }])) }),
    'items: items\nkeyed-by: id\nwalk: { kind: snapshot, store: changes }',
  ],
]

const counted =
  'SELECT count(*)::INT AS n, count(DISTINCT item_id)::INT AS ids, count(DISTINCT observation)::INT AS readings FROM'
const rows = (lake: string, isSnapshot: boolean) =>
  query(lake, `${counted} (SELECT item_id, ${isSnapshot ? 'observation_id' : "''"} AS observation FROM items)`)

test.each(cases)(
  'a list with %s is read to its end, by a first run, one that resumes, and one with nothing to do',
  async (_, serve, text) => {
    const { lake, run, left, server } = await read(serve, text)
    const isSnapshot = text.includes('kind: snapshot }')
    left.requests = 2
    await run().catch(() => undefined)
    left.requests = Number.POSITIVE_INFINITY
    await run()
    expect((await rows(lake, isSnapshot))[0]).toMatchObject({ ids: 25 })
    const before = server.received.length
    await run()
    const [last] = await rows(lake, isSnapshot)
    expect(last).toMatchObject({ ids: 25, n: 25 * Number((last as { readings: number }).readings) })
    expect(server.received.length - before).toBeLessThanOrEqual(8)
  },
)

test.each(cases)('a list with %s is read to its end at once', async (_, serve, text) => {
  const { lake, run } = await read(serve, text)
  await run()
  expect(await rows(lake, false)).toEqual([{ n: 25, ids: 25, readings: 1 }])
})

test.each([
  [
    'an answer that says has_more without a token',
    (q: URLSearchParams) => json({ items: pages(at(q, 'cursor')), has_more: true, next: null }),
    token(', more: has_more'),
    'The service says that a list continues, but not where.',
  ],
  [
    'an item with another id than its key',
    () => json({ items: { a: { id: 'b', at: 1 } } }),
    'items: items\nkeyed-by: id\nwalk: { kind: snapshot, store: changes }',
    'contradict each other',
  ],
  [
    'a page that ignores its number',
    () => json({ items: pages(0) }),
    'items: items\npager: { kind: page, query: page }\nwalk: { kind: snapshot, store: changes }',
    'A page repeats the page before it',
  ],
  ['an offset that is ignored', () => json({ items: pages(0) }), offset, 'A page repeats the page before it'],
  [
    'a page after the last with an undeclared status',
    (q: URLSearchParams) =>
      at(q, 'offset') < 25 ? json({ items: pages(at(q, 'offset')) }) : json({ detail: 'Invalid page.' }, 404),
    offset,
    'The service refuses a page of a list after its first one',
  ],
  [
    'a list that is declared with its newest item first, and has its oldest item first',
    (q: URLSearchParams) => json({ items: all.toReversed().slice(at(q, 'cursor'), at(q, 'cursor') + 10), next: null }),
    token(),
    'The list has its oldest item first',
  ],
])('%s is refused', async (_, serve, text, message) => {
  const { run, server } = await read(serve, text)
  const failure = await run().catch((error: Error) => error)
  expect(failure).toMatchObject({ message: expect.stringContaining(message), exitCode: expect.any(Number) })
  expect(`${failure}`).not.toContain('token')
  expect(server.received.length).toBeLessThanOrEqual(7)
})

test('a list with its oldest item first and no other order is read on at its last page, and again when that is refused', async () => {
  let shown = all.toReversed()
  let isDead = false
  const { lake, run, server } = await read((q) => {
    const from = at(q, 'cursor')
    if (isDead && from > 0) return json({ message: 'The cursor has expired.' }, 410)
    return json({ items: shown.slice(from, from + 10), next: from + 10 < shown.length ? String(from + 10) : null })
  }, upwards('{ kind: token, at: next, query: cursor }'))
  const grow = (count: number) => {
    for (let more = 0; more < count; more++)
      shown = [...shown, { id: `n${shown.length}`, at: 1_800_000_000 + shown.length }]
  }
  const count = async () => (await query(lake, 'SELECT count(*)::INT AS n FROM items'))[0]
  await run()
  grow(12)
  const before = server.received.length
  await run()
  expect(server.received.slice(before).map(({ path }) => path)).toEqual(['/items?cursor=20', '/items?cursor=30'])
  expect(await count()).toEqual({ n: 37 })
  isDead = true
  grow(1)
  await expect(run()).rejects.toMatchObject({ code: 'transport.token' })
  isDead = false
  shown = shown.slice(0, 22)
  await expect(run()).rejects.toMatchObject({ code: 'transport.early-end' })
  grow(30)
  await run()
  expect(await count()).toEqual({ n: 25 + 30 })
})

test('a page that a filter of the service left empty is not the end while has_more is true', async () => {
  const { lake, run } = await read((q) => {
    const page = Number(q.get('page'))
    return json({ items: page === 2 ? [] : pages(Math.max(page - 2, 0) * 10), has_more: page < 4 })
  }, 'items: items\npager: { kind: page, query: page, more: has_more }\nwalk: { kind: snapshot, store: changes }')
  await run()
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM items')).toEqual([{ n: 25 }])
})

test('a message without items is no empty list', async () => {
  for (const [message, error] of [
    [{ message: 'try later' }, 'The answer has no field items.'],
    [{ error: 'try later' }, 'The service answers with an error'],
  ] as const) {
    const { run } = await read(() => json(message), offset)
    await expect(run()).rejects.toThrow(error)
  }
})

test('a window of dates reads each day once, up to the clock minus what the service promises', async () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)
  const days = Array.from({ length: 40 }, (_, n) => ({ id: day(n), at: day(n) }))
  const { server, lake, run } = await read(
    (q) => json({ items: days.filter(({ at }) => at >= q.get('since')! && at < q.get('before')!) }),
    `items: items
query: { since: "{from:date}", before: "{to:date}" }
walk: { kind: timeWindow, column: seen, head: { behind-seconds: 86400 }, trailing-seconds: 172800 }`,
    ', unit: date',
  )
  await run()
  expect(
    await query(
      lake,
      "SELECT count(*)::INT AS n, min(seen) = '2026-01-01 00:00:00+00'::TIMESTAMPTZ AS first FROM items",
    ),
  ).toEqual([{ n: 40, first: true }])
  const before = server.received.length
  await run()
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM items')).toEqual([{ n: 40 }])
  expect(server.received.slice(before).every(({ path }) => /since=\d{4}-\d\d-\d\d&before=/.test(path))).toBe(true)
})
