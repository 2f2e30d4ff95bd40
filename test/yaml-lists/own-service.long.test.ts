import { expect, onTestFinished, test } from 'vitest'
import { serviceHosts } from '../../src/cli/service-settings.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { compileList } from '../../src/yaml-lists/list-pipeline.ts'
import type { ListText } from '../../src/yaml-lists/list-schema.ts'
import { type Received, type Reply, startServer } from '../fetch/local-server.ts'
import { newLake, query } from '../run/lake-run.ts'
import { listOf, simpleList } from './parsed-list.ts'

const key = 'c0ffee-secret'

/** A server that counts how it was asked, and closes with the test. */
async function serve(answer: (request: Received, url: URL) => Reply) {
  const server = await startServer((request) => answer(request, new URL(request.path, 'http://localhost')))
  onTestFinished(() => server.close())
  return server
}

const json = (value: unknown, headers: Record<string, string> = {}): Reply => ({ body: JSON.stringify(value), headers })

/** Runs a list of a service at a URL. */
async function run(
  list: ListText,
  url: string,
  lake: string,
  values: Record<string, unknown> = {},
  service: object = {},
) {
  const services: Parameters<typeof serviceHosts>[0] = {
    own: { url, headers: { 'x-key': `Token \${SOME_KEY}` }, ...service },
  }
  const pipeline = compileList('my-list', list)
  const { jobs } = await runPipelines({
    nodeUrl: 'http://127.0.0.1:1',
    services: serviceHosts(services, [pipeline], { SOME_KEY: key }),
    lake: { folder: lake },
    jobs: [{ name: 'my-list', pipeline, values }],
    tries: 1,
    stop: new AbortController().signal,
    emit: () => undefined,
  })
  return jobs[0]
}

const items = Array.from({ length: 25 }, (_, n) => ({ id: `item-${24 - n}`, at: 1_700_000_000 + (24 - n) * 60 }))

test('a list follows the links of a service, sends the headers with the key, and reads only new items later', async () => {
  let shown = items.slice(5)
  const server = await serve((_, url) => {
    const from = Number(url.searchParams.get('from') ?? 0)
    const link = `</v2/items?from=${from + 7}&apikey=base>; rel="next", </v2/items>; rel="first"`
    return json({ items: shown.slice(from, from + 7) }, from + 7 < shown.length ? { link } : {})
  })
  const list = listOf(simpleList.replace('items: items', 'items: items\npager: { kind: link }'))
  const lake = newLake()
  await run(list, `${server.url}/v2?apikey=base`, lake)
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM items')).toEqual([{ n: 20 }])
  expect(server.received.map(({ path }) => path)).toEqual([
    '/v2/items?apikey=base',
    '/v2/items?from=7&apikey=base',
    '/v2/items?from=14&apikey=base',
  ])
  expect(server.received.every(({ headers }) => headers['x-key'] === `Token ${key}`)).toBe(true)
  shown = items
  await run(list, `${server.url}/v2?apikey=base`, lake)
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM items')).toEqual([{ n: 25 }])
})

test('a link to another origin is refused, and no key goes there', async () => {
  const other = await serve(() => json({ items: [] }))
  const server = await serve(() =>
    json({ items: items.slice(0, 3) }, { link: `<${other.url}/items?page=2>; rel="next"` }),
  )
  const list = listOf(simpleList.replace('items: items', 'items: items\npager: { kind: link }'))
  await expect(run(list, server.url, newLake())).rejects.toThrow(
    expect.objectContaining({ code: 'transport.link', hint: expect.stringContaining('key') }),
  )
  expect(other.received).toEqual([])
})

test('a redirect is not followed, and messages do not show the key', async () => {
  const other = await serve(() => json({ items: [] }))
  const server = await serve(() => ({ status: 302, headers: { location: `${other.url}/items?k=${key}` }, body: key }))
  const failure = await run(listOf(simpleList), server.url, newLake()).catch((error: Error) => error)
  expect(JSON.stringify([String(failure), { ...(failure as object) }])).not.toContain(key)
  expect(failure).toBeInstanceOf(Error)
  expect(other.received).toEqual([])
})

test.each([
  ['offset', 'kind: offset, query: skip', 'skip', 0],
  ['page', 'kind: page, query: p', 'p', 1],
])(
  'the pager %s reads a whole list until an empty page, and a snapshot of changes stores what changed',
  async (kind, pager, name, first) => {
    let shown: readonly { id: string; at: number }[] = items
    const server = await serve((_, url) => {
      const given = Number(url.searchParams.get(name))
      const from = kind === 'offset' ? given : (given - first) * 10
      return json({ items: shown.slice(from, from + 10) })
    })
    const list = listOf(
      simpleList
        .replace('kind: pageChain, time: seen', 'kind: snapshot, store: changes')
        .replace('items: items', `items: items\npager: { ${pager} }`),
    )
    const lake = newLake()
    await run(list, server.url, lake)
    // The empty page is requested once more.
    expect(server.received).toHaveLength(5)
    shown = items.slice(1).map((item, n) => (n === 0 ? { ...item, at: 5 } : item))
    await run(list, server.url, lake)
    expect(await query(lake, 'SELECT count(*)::INT AS n FROM items_latest')).toEqual([{ n: 24 }])
    expect(
      await query(lake, 'SELECT count(*)::INT AS n, count(*) FILTER (NOT present)::INT AS gone FROM items'),
    ).toEqual([{ n: 27, gone: 1 }])
  },
)

test.each(['snapshot, store: changes', 'snapshot'])(
  'a %s with counted pages is read from its beginning after a failure',
  async (walk) => {
    let shown = items
    let isDown = true
    const server = await serve((_, url) => {
      const from = Number(url.searchParams.get('skip'))
      if (isDown && from === 20) return { status: 403, body: 'later' }
      return json({ items: shown.slice(from, from + 10) })
    })
    const list = listOf(
      simpleList
        .replace('kind: pageChain, time: seen', `kind: ${walk}`)
        .replace('items: items', 'items: items\npager: { kind: offset, query: skip }'),
    )
    const lake = newLake()
    await expect(run(list, server.url, lake)).rejects.toThrow()
    const asked = server.received.length
    // The items of the pages after the failure move to pages that were read before it.
    shown = items.slice(3)
    isDown = false
    await run(list, server.url, lake)
    expect(server.received[asked]?.path).toContain('skip=0')
    const last = JSON.stringify(items.slice(20).map(({ id }) => id))
    expect(
      await query(
        lake,
        `SELECT count(*)::INT AS n FROM items_latest WHERE item_id IN (SELECT unnest(${last.replaceAll('"', "'")}))`,
      ),
    ).toEqual([{ n: 5 }])
  },
)

const keyed = `
comment: Things by id.
service: own
network: test
parameters: { ids: { type: list, comment: Ids. } }
path: /things/{ids}
empty: [404]
walk: { kind: keyed, keys: ids }
table:
  name: things
  comment: Things.
  key: [thing_id]
  columns:
    thing_id: { parameter: ids, type: text, comment: Id. }
    size: { path: size, type: int64, comment: Size. }
`

test('keys without an answer are requested again, answered ones are not', async () => {
  const known = new Map([
    ['a', 1],
    ['b/c', 2],
  ])
  const server = await serve(({ path }) => {
    const size = known.get(decodeURIComponent(path.slice('/things/'.length)))
    return size === undefined ? { status: 404, body: 'nothing' } : json({ size })
  })
  const lake = newLake()
  const values = { ids: ['a', 'b/c', 'd'] }
  await run(listOf(keyed), server.url, lake, values)
  expect(await query(lake, 'SELECT thing_id, size::INT AS size FROM things ORDER BY 1')).toEqual([
    { thing_id: 'a', size: 1 },
    { thing_id: 'b/c', size: 2 },
  ])
  known.set('d', 3)
  await run(listOf(keyed), server.url, lake, values)
  expect(server.received.map(({ path }) => path).slice(3)).toEqual(['/things/d'])
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM things')).toEqual([{ n: 3 }])
})

const windowed = simpleList
  .replace(
    'kind: pageChain, time: seen',
    'kind: timeWindow, column: seen, head: { path: /newest, at: "time" }, trailing-seconds: 60',
  )
  .replace('path: /items', 'path: /items\nquery: { since: "{from:iso}", until: "{last}" }')

test('a window of times reads up to the head of the service, and later runs read what is new', async () => {
  let head = items[5]?.at
  const server = await serve((_, url) => {
    if (url.pathname === '/newest') return json({ time: head })
    const since = Date.parse(url.searchParams.get('since') ?? '') / 1000
    const until = Number(url.searchParams.get('until'))
    return json({ items: items.filter(({ at }) => at >= since && at <= until) })
  })
  const lake = newLake()
  await run(listOf(windowed), server.url, lake, { from: 1_700_000_000 })
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM items')).toEqual([{ n: 20 }])
  head = items[0]?.at
  await run(listOf(windowed), server.url, lake, { from: 1_700_000_000 })
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM items')).toEqual([{ n: 25 }])
})

test('a service has one rate limit, and a budget of units per day ends the run for now', async () => {
  const server = await serve((_, url) => {
    const from = Number(url.searchParams.get('from') ?? 0)
    return json({ items: items.slice(from, from + 5), next: from + 5 < items.length ? String(from + 5) : null })
  })
  const list = listOf(
    simpleList.replace('items: items', 'items: items\ncost: 10\npager: { kind: token, at: next, query: from }'),
  )
  const lake = newLake()
  expect(await run(list, server.url, lake, {}, { 'units-per-day': 30 })).toMatchObject({
    postponed: expect.any(Object),
  })
  expect(server.received).toHaveLength(3)
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM items')).toEqual([{ n: 15 }])
})

test('name, service, path, selecting parameters and revision identify a stream; page sizes do not', async () => {
  const text = simpleList
    .replace('path: /items', 'path: /items/{kind}\nquery: { color: "{color}", limit: "{limit}" }')
    .replace(
      'network: test',
      'parameters:\n  kind: { required: true, comment: K. }\n  color: { comment: C. }\n  limit: { type: whole, selects: false, comment: L. }',
    )
  const idsOf = async (list: ListText, values: object) => {
    const facts = {} as never
    const streams = await compileList('my-list', list).streams({ network: 'test', kind: 'a', ...values }, facts)
    return streams.map(({ stream }) => stream)
  }
  const same = { network: 'test', path: 'my-list/own', kind: 'my-list/own', parameters: { kind: 'a' } }
  expect(await idsOf(listOf(text), {})).toEqual([same])
  expect(await idsOf(listOf(text), { limit: 5 })).toEqual([same])
  expect(await idsOf(listOf(text), { color: 'red' })).toEqual([{ ...same, parameters: { kind: 'a', color: 'red' } }])
  expect(await idsOf(listOf(`${text}\nrevision: 2`), {})).toEqual([
    { ...same, parameters: { kind: 'a', revision: '2' } },
  ])
})

test('a list that is read oldest first resumes at its end', async () => {
  let known = 20
  const server = await serve((_, url) => {
    const oldest = [...items].reverse().slice(0, known)
    const shown = url.searchParams.get('order') === 'up' ? oldest : [...oldest].reverse()
    const from = Number(url.searchParams.get('from') ?? 0)
    return json({ items: shown.slice(from, from + 5), next: from + 5 < shown.length ? String(from + 5) : null })
  })
  const list = listOf(
    simpleList
      .replace(
        'kind: pageChain, time: seen',
        'kind: oldestFirst, time: seen, trailing-seconds: 120, order: { query: order, oldest: up, newest: down }',
      )
      .replace('items: items', 'items: items\npager: { kind: token, at: next, query: from }'),
  )
  const lake = newLake()
  await run(list, server.url, lake)
  const first = server.received.map(({ path }) => path)
  expect(first).toEqual(['', '&from=5', '&from=10', '&from=15'].map((page) => `/items?order=up${page}`))
  known = 25
  await run(list, server.url, lake)
  const ids = 'SELECT count(*)::INT AS n, count(DISTINCT item_id)::INT AS distinct FROM items'
  expect(await query(lake, ids)).toEqual([{ n: 25, distinct: 25 }])
  const later = server.received.slice(first.length).map(({ path }) => path)
  expect(later.length).toBeLessThan(4)
  expect(later).not.toContain('/items?order=up')
})

const transfers = simpleList
  .replace('path: /items', 'path: /transfers\nmethod: POST\nbody: { filter: { first: "{from}", last: "{last}" } }')
  .replace(
    'kind: pageChain, time: seen',
    'kind: blockWindow, column: block, first: 10, head: { path: /height, at: height }, trailing-blocks: 2',
  )
  .replace('seen: { path: at, type: time,', 'block: { path: block, type: int64,')

test('a window of blocks is asked for in the body of a POST, and later runs ask for new blocks and the last ones', async () => {
  let head = 29
  const server = await serve(({ body }, url) => {
    if (url.pathname === '/height') return json({ height: head })
    const { first, last } = JSON.parse(body).filter
    const blocks = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((block) => block <= head)
    return json({ items: blocks.map((block) => ({ id: `t${block}`, block })) })
  })
  const lake = newLake()
  const windows = (from: number) =>
    server.received.slice(from).flatMap(({ method, body }) => (method === 'POST' ? [JSON.parse(body).filter] : []))
  await run(listOf(transfers), server.url, lake)
  expect(await query(lake, 'SELECT count(*)::INT AS n, max(block)::INT AS last FROM items')).toEqual([
    { n: 30, last: 29 },
  ])
  expect(
    windows(0)
      .map(({ first }) => first)
      .sort((a, b) => a - b)[0],
  ).toBe(0)
  const before = server.received.length
  head = 33
  await run(listOf(transfers), server.url, lake)
  expect(await query(lake, 'SELECT count(*)::INT AS n, max(block)::INT AS last FROM items')).toEqual([
    { n: 34, last: 33 },
  ])
  expect(windows(before)).toEqual([{ first: 28, last: 33 }])
})

test('the token of a page may belong to the body', async () => {
  const server = await serve(({ body }) => {
    const { cursor, kind } = JSON.parse(body)
    const from = Number(cursor ?? 0)
    expect(kind).toBe('all')
    return json({ items: items.slice(from, from + 10), next: from + 10 < items.length ? String(from + 10) : null })
  })
  const list = listOf(
    simpleList
      .replace('path: /items', 'path: /search\nmethod: POST\nbody: { kind: all }')
      .replace('items: items', 'items: items\npager: { kind: token, at: next, body: cursor }'),
  )
  const lake = newLake()
  await run(list, server.url, lake)
  expect(await query(lake, 'SELECT count(*)::INT AS n FROM items')).toEqual([{ n: 25 }])
  expect(server.received.map(({ body }) => JSON.parse(body).cursor ?? null)).toEqual([null, '10', '20'])
})

test('a key that would lead to another path is refused before any request', async () => {
  const server = await serve(() => json({ items: [] }))
  const list = listOf(
    simpleList
      .replace('path: /items', 'path: /items/{owner}/all')
      .replace('network: test', 'network: test\nparameters: { owner: { type: list, comment: O. } }\neach: owner'),
  )
  for (const owner of ['.', '..'])
    await expect(run(list, server.url, newLake(), { owner: ['a', owner] })).rejects.toThrow(
      expect.objectContaining({ code: 'config.value', message: expect.stringContaining(`owner cannot be ${owner}: `) }),
    )
  expect(server.received).toEqual([])
})

test('numbers are stored as the service wrote them, or refused, where a double would round them', async () => {
  const list = (type: string) =>
    listOf(simpleList.replace('seen: {', `value: { path: value, type: ${type}, comment: V. }\n    seen: {`))
  const read = async (type: string, value: string) => {
    const server = await serve(() => ({ body: `{"items":[{"id":"a","at":1,"value":${value}}]}` }))
    const lake = newLake()
    await run(list(type), server.url, lake)
    return (await query(lake, 'SELECT value FROM items'))[0]?.['value']
  }
  expect(await read('text', '0.1234567890123456789')).toBe('0.1234567890123456789')
  expect(await read('json', '{"a":[12345678901234567890.10,1e400]}')).toBe('{"a":[12345678901234567890.10,1e400]}')
  expect(await read('double', '0.1234567890123456789')).toBe(0.12345678901234568)
  // JavaScript writes numbers from 10^21 on like this.
  expect(await read('double', '1.5e+21')).toBe(1.5e21)
  expect(await read('text', '1.5e+21')).toBe('1.5e+21')
  await expect(read('double', '1500000000000000000001')).rejects.toThrow('that a double would round')
  await expect(read('decimal', '9007199254740991.4')).rejects.toThrow('is no whole number')
  await expect(read('int64', '0.99999999999999999999')).rejects.toThrow('is no whole number')
})
