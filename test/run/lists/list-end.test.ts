import { describe, expect, test } from 'vitest'
import type { List } from '../../../src/define/index.ts'
import { HttpError } from '../../../src/errors.ts'
import { createSeenTexts, keysMark, type ListEvent, listPages } from '../../../src/run/lists/list-pages.ts'
import type { ServiceClient } from '../../../src/sources/service-client.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import { decodeItems, type Item, listOf } from './list-service.ts'

type Answer = { readonly items: readonly Item[]; readonly next?: string }

/** A service with answers that depend on the token (or null) and on the number of earlier requests. */
function lyingService(answer: (token: string | null, count: number) => Answer) {
  const requested: (string | null)[] = []
  const client = {
    ask: async ({ query }, { parse }) => {
      const token = (query['token'] as string | undefined) ?? null
      requested.push(token)
      if (requested.length > 60_000) throw new Error('It would have asked on for ever.')
      return parse(answer(token, requested.length - 1))
    },
    close: async () => undefined,
  } as ServiceClient
  return { client, requested }
}

async function read(
  client: ServiceClient,
  options: { token?: string; list?: List; before?: string | null; doubtsEnd?: boolean } = {},
): Promise<ListEvent[]> {
  const { list = listOf(), ...rest } = options
  const context = () => ({ observationId: '', observedAt: 0n, unknownField: () => undefined, memory: new Map() })
  const events: ListEvent[] = []
  for await (const event of listPages(list, { client, signal: new AbortController().signal, context, ...rest }))
    events.push(event)
  return events
}

const itemAt = (position: number): Item => ({ id: `item-${position}`, time: 1000 })
const pageAt = (page: number, size = 4) => Array.from({ length: size }, (_, place) => itemAt(page * size + place))
const endless = (message: RegExp) => ({
  exitCode: 3,
  code: 'transport.endless-list',
  retryable: false,
  message: expect.stringMatching(message),
  details: expect.objectContaining({ path: '/items' }),
  hint: expect.stringContaining('Committed rows are kept.'),
})

describe('an endless list is refused', () => {
  test('when a page token repeats', async () => {
    const { client, requested } = lyingService((_, count) => ({ items: pageAt(count), next: `t${count % 7}` }))
    await expect(read(client)).rejects.toMatchObject(endless(/a page leads to one that was requested before\.$/))
    expect(requested.length).toBe(8)
  })

  test('when it returns the page token of an earlier run that the read started with', async () => {
    const { client, requested } = lyingService((_, count) => ({
      items: pageAt(count),
      next: count === 2 ? 'mine' : `t${count}`,
    }))
    await expect(read(client, { token: 'mine' })).rejects.toMatchObject(endless(/requested before/))
    expect(requested.length).toBe(3)
  })

  test('when 50 consecutive pages repeat items, even with new page tokens', async () => {
    const { client, requested } = lyingService((_, count) => ({ items: pageAt(1 + (count % 9)), next: `t${count}` }))
    await expect(read(client)).rejects.toMatchObject(endless(/^The list has no end: 50 consecutive pages repeat items/))
    expect(requested.length).toBeLessThan(9 + 50 + 10)
  })

  test('when 1,000 consecutive pages are empty', async () => {
    const { client, requested } = lyingService((_, count) => ({
      items: count < 3 ? pageAt(count) : [],
      next: `t${count}`,
    }))
    await expect(read(client)).rejects.toMatchObject(endless(/1,000 consecutive pages are empty/))
    expect(requested.length).toBe(3 + 1000)
  })

  test('when repeating and empty pages alternate', async () => {
    const { client } = lyingService((_, count) => ({ items: count % 2 ? [] : pageAt(count % 3), next: `t${count}` }))
    await expect(read(client)).rejects.toMatchObject(endless(/50 consecutive pages repeat items/))
  })

  test('when it repeats itself after more items than the reader remembers one by one', async () => {
    const { client, requested } = lyingService((_, count) => ({ items: pageAt(count % 1000, 100), next: `t${count}` }))
    await expect(read(client)).rejects.toMatchObject(endless(/consecutive pages repeat items/))
    expect(requested.length).toBeLessThan(1000 + 50 * 8)
  })
})

describe('a list is read to its end', () => {
  test('when fewer than 50 consecutive pages repeat items', async () => {
    // This list does not return its first page again, because that would look like an expired token.
    const { client } = lyingService((_, count) => ({
      items: [itemAt(count === 0 ? 9 : count % 2)],
      ...(count < 51 ? { next: `t${count}` } : {}),
    }))
    expect(await read(client)).toHaveLength(52)
  })

  test('when one item appears on every page', async () => {
    const pinned: Item = { id: 'pinned', time: 1 }
    for (const place of ['first', 'last']) {
      const { client } = lyingService((_, count) => {
        const own = pageAt(count)
        return {
          items: place === 'first' ? [pinned, ...own] : [...own, pinned],
          ...(count < 300 ? { next: `t${count}` } : {}),
        }
      })
      const events = await read(client)
      expect(events.filter((event) => 'restarted' in event)).toEqual([])
      expect(events).toHaveLength(301)
    }
  })

  test('when 999 consecutive pages are empty', async () => {
    const { client } = lyingService((_, count) => ({
      items: count === 999 ? pageAt(1) : [],
      ...(count < 1999 ? { next: `t${count}` } : {}),
    }))
    expect(await read(client)).toHaveLength(2000)
  })

  test('when it is restarted and returns the same page tokens', async () => {
    let died = false
    const { client } = lyingService((token, count) => {
      const page = token === null ? 0 : Number(token.slice(1))
      if (page === 60 && !died) {
        died = count > 65
        throw new HttpError('The token is not known.', 410)
      }
      return { items: pageAt(page), ...(page < 100 ? { next: `t${page + 1}` } : {}) }
    })
    const events = await read(client)
    expect(events.filter((event) => 'restarted' in event).length).toBeGreaterThan(0)
    expect(events.flatMap((event) => ('page' in event ? event.page.items : [])).at(-1)).toEqual({
      key: 'item-403',
      time: 1000,
    })
  })

  test('when it has more items than the reader remembers and an old item on every page', async () => {
    const list: List = { ...listOf(), decode: (answer) => ({ ...decodeItems(answer, undefined as never), rows: {} }) }
    const { client } = lyingService((_, count) => ({
      items: [itemAt(count * 2), itemAt(count * 2 + 1), itemAt(0)],
      ...(count < 20_000 ? { next: `t${count}` } : {}),
    }))
    expect(await read(client, { list })).toHaveLength(20_001)
  })
})

describe('a page that repeats the page before it', () => {
  /** A list of five pages. The answer for page 3 repeats page 2 at its first `times` requests. */
  const repeating = (times: number, next: (page: number) => string = (page) => `t${page + 1}`) => {
    let left = times
    return lyingService((token) => {
      const page = token === null ? 0 : Number(token.slice(1))
      const isLie = page === 3 && left-- > 0
      return { items: pageAt(isLie ? 2 : page), ...(page < 4 ? { next: isLie ? next(page) : `t${page + 1}` } : {}) }
    })
  }
  const repeated = { exitCode: 3, code: 'transport.repeated-page', retryable: false, details: { page: 't3' } }
  const keysIn = (events: readonly ListEvent[]) =>
    events.flatMap((event) => ('page' in event ? event.page.items.map(({ key }) => key) : []))
  const all = Array.from({ length: 20 }, (_, at) => `item-${at}`)

  test.each([
    ['the next one', undefined],
    ['itself, like the whole answer before it', () => 't3'],
  ])('is requested again, and then refused, if it leads to %s', async (_, next) => {
    expect(keysIn(await read(repeating(2, next).client))).toEqual(all)
    const { client, requested } = repeating(3, next)
    await expect(read(client)).rejects.toMatchObject(repeated)
    expect(requested).toEqual([null, 't1', 't2', 't3', 't3', 't3'])
  })

  test('is refused in a reading that resumes behind the page before', async () => {
    const before = keysMark(pageAt(2).map(({ id }) => id))
    expect(keysIn(await read(repeating(2).client, { token: 't3', before }))).toEqual(all.slice(12))
    await expect(read(repeating(3).client, { token: 't3', before })).rejects.toMatchObject(repeated)
  })

  test('is refused if pages have rows, but no items that are compared', async () => {
    const list: List = { ...listOf(), decode: (answer) => ({ ...decodeItems(answer, undefined as never), items: [] }) }
    expect(await read(repeating(2).client, { list })).toHaveLength(5)
    await expect(read(repeating(3).client, { list })).rejects.toMatchObject(repeated)
  })

  test('is the end of a list that declares so', async () => {
    const list: List = { ...listOf(), repeats: 'end' }
    const { client, requested } = repeating(3)
    expect(keysIn(await read(client, { list }))).toEqual(all.slice(0, 12))
    expect(requested).toHaveLength(6)
  })

  test('is a page like others of a list that may repeat', async () => {
    const list: List = { ...listOf(), repeats: 'allowed' }
    expect(keysIn(await read(repeating(1).client, { list }))).toEqual([
      ...all.slice(0, 12),
      ...all.slice(8, 12),
      ...all.slice(16),
    ])
  })

  test('is refused at the second page, where it may be a sign of a dead token, after few requests', async () => {
    const { client, requested } = lyingService((_, count) => ({ items: pageAt(0), next: `t${count}` }))
    await expect(read(client)).rejects.toMatchObject({ code: 'transport.repeated-page' })
    expect(requested).toHaveLength(12)
    const counted = lyingService((_, count) => ({ items: pageAt(0), next: `${count}` }))
    await expect(read(counted.client, { list: { ...listOf(), isCounted: true } })).rejects.toMatchObject({
      code: 'transport.repeated-page',
      message: expect.not.stringContaining('token'),
    })
    expect(counted.requested).toHaveLength(4)
  })
})

describe('a page that leads to itself', () => {
  test.each([1, 5])('is the last one if it has only the last item of the page before it: %i pages', async (pages) => {
    const size = pages * 4
    const { client } = lyingService((token) => {
      const from = token === null ? 0 : Number(token)
      const shown = Array.from({ length: size }, (_, at) => itemAt(at)).slice(from, from + 4)
      return { items: shown, next: `${from + shown.length - 1}` }
    })
    expect(
      new Set((await read(client)).flatMap((event) => ('page' in event ? event.page.items : [])).map(({ key }) => key))
        .size,
    ).toBe(size)
  })

  test('is the last one of a list with one item, unless its pages have room for one item only', async () => {
    const { client, requested } = lyingService(() => ({ items: pageAt(0, 1), next: 'last' }))
    expect(await read(client)).toMatchObject([{ page: { next: 'last' } }, { page: { next: null } }])
    expect(requested).toEqual([null, 'last'])
    const { request, ...others } = listOf()
    const list = { ...others, request: (token) => ({ ...request(token), query: { token, limit: 1 } }) } as List
    await expect(read(client, { list })).rejects.toMatchObject({ code: 'transport.repeated-page' })
  })

  test('is refused if it has new items', async () => {
    const { client } = lyingService((token) => ({ items: pageAt(token === null ? 0 : 1), next: 't1' }))
    await expect(read(client)).rejects.toMatchObject(endless(/requested before/))
  })
})

test.each([
  ['full', 11],
  ['empty', 0],
])('a last page that is %s is requested once more where nothing else shows the end', async (_, size) => {
  let lies = 1
  const { client, requested } = lyingService((token) => {
    const page = token === null ? 0 : Number(token.slice(1))
    if (page === 2 && lies-- > 0) return { items: pageAt(2, 11).slice(0, size) }
    return { items: pageAt(page, 11), ...(page < 3 ? { next: `t${page + 1}` } : {}) }
  })
  expect(await read(client, { doubtsEnd: true })).toHaveLength(4)
  // The last page is full, too.
  expect(requested).toEqual([null, 't1', 't2', 't2', 't3', 't3'])
})

test('the number of a page that the service refuses does not expire: the message says how to declare the end', async () => {
  const { client, requested } = lyingService((token) => {
    if (token === '2') throw new HttpError('Invalid page (404).', 404)
    return { items: pageAt(Number(token ?? 0)), next: `${Number(token ?? 0) + 1}` }
  })
  await expect(read(client, { list: { ...listOf(), isCounted: true } })).rejects.toMatchObject({
    status: 404,
    message: expect.not.stringContaining('token'),
    hint: expect.stringContaining('`empty: [404]`'),
  })
  expect(requested).toHaveLength(5)
})

test('items that the lake already has do not count as repeats; rows stored before a list is refused are kept', async () => {
  const lake = newItemLake()
  const stream = {
    stream: { network: 'test', path: 'items', parameters: {} },
    tables: { items },
    walk: { kind: 'pageChain', list: listOf(), trailing: 10_000 },
  } as const
  const honest = lyingService((_, count) => ({
    items: pageAt(count % 80),
    ...(count % 80 < 79 ? { next: `t${count}` } : {}),
  }))
  await runStream(lake, stream, honest.client)
  expect(await rowsOf(lake, items)).toHaveLength(320)
  // The whole list is read again to find late items: 80 pages of known rows.
  expect((await runStream(lake, stream, honest.client)).upToDate).toBe(true)
  const other = newItemLake()
  const lying = lyingService((_, count) => ({ items: pageAt(1 + (count % 50)), next: `t${count}` }))
  await expect(runStream(other, stream, lying.client)).rejects.toMatchObject(endless(/50 consecutive pages/))
  expect(await rowsOf(other, items)).toHaveLength(200)
})

test('seen texts are remembered in bounded memory, and a new text is never reported as known', () => {
  const texts = createSeenTexts(64)
  for (let text = 0; text < 64; text++) expect(texts.see(`a${text}`)).toBe('new')
  for (let text = 0; text < 64; text++) expect(texts.see(`a${text}`)).toBe('known')
  expect(texts.share()).toBe(1)
  const seen = () => Array.from({ length: 100_000 }, (_, text) => texts.see(`b${text}`))
  expect(new Set(seen())).toEqual(new Set(['new', 'not sampled']))
  expect(texts.share()).toBeLessThan(1 / 512)
  const again = seen()
  expect(again).not.toContain('new')
  const known = again.filter((one) => one === 'known').length
  expect(known).toBeGreaterThan(10)
  expect(known).toBeLessThan(66)
})

test('long texts that differ only at their end are distinguished by their digests', () => {
  const texts = createSeenTexts(64)
  const long = (text: number) => `${'x'.repeat(5000)}${text}`
  for (const expected of ['new', 'known'])
    for (let text = 0; text < 64; text++) expect(texts.see(long(text))).toBe(expected)
})
