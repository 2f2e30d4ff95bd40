import { afterEach, expect, test, vi } from 'vitest'
import { observations } from '../../../schemas/lake.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import type { List, StreamDeclaration } from '../../../src/define/index.ts'
import type { Slice } from '../../../src/model.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import {
  createListService,
  decodeItems,
  type Item,
  itemAt,
  type ListAnswer,
  type ListService,
  listOf,
  windowStream,
} from './list-service.ts'

afterEach(() => void vi.useRealTimers())

const itemsTo = (end: number): Item[] => Array.from({ length: 30 }, (_, at) => itemAt(end - at))

/** Lies to the first requests for windows, or for heights, from a coordinate. */
function lieTo(service: ListService, requests: number, from = 0): void {
  let left = requests
  service.lie = (answer, _requests, query) => {
    if (query.from === undefined || query.from < from || left === 0) return answer
    left--
    return empty
  }
}

const empty: ListAnswer = { items: [] }
const early = { code: 'transport.early-end', exitCode: 3 }

async function coveredEnd(lake: string, path = 'test/window'): Promise<number | undefined> {
  const { coverage } = await (await openCatalog({ folder: lake }, [items, observations])).inventory()
  return coverage.findLast((row) => row.stream === path)?.slice.to
}

test.each(['blockWindow', 'heightRange', 'timeWindow'] as const)(
  'an answer without the known rows that %s reads again is not believed: once it is asked again, twice the list ends',
  async (kind) => {
    const lake = newItemLake()
    const service = createListService(itemsTo(500), 100)
    await runStream(lake, windowStream(kind, [500]), service.client)
    service.items.unshift(itemAt(505))
    lieTo(service, kind === 'heightRange' ? 1000 : 2)
    await expect(runStream(lake, windowStream(kind, [510]), service.client)).rejects.toMatchObject({
      ...early,
      details: { stream: 'test/window', 'newest row that it left out': 500 },
    })
    expect(await coveredEnd(lake)).toBe(501)
    expect(await rowsOf(lake, items)).toHaveLength(30)
    // Each of the first 16 heights has a request of its own.
    lieTo(service, kind === 'heightRange' ? 16 : 1)
    await runStream(lake, windowStream(kind, [510]), service.client)
    expect(await rowsOf(lake, items)).toHaveLength(31)
    expect(await coveredEnd(lake)).toBe(511)
  },
)

test('an empty answer is believed at once where nothing is read again, and where nothing is known', async () => {
  const lake = newItemLake()
  const service = createListService(itemsTo(500), 100)
  await runStream(lake, windowStream('blockWindow', [500]), service.client)
  const before = service.requests
  await runStream(lake, windowStream('blockWindow', [520], 0), service.client)
  await runStream(lake, windowStream('blockWindow', [540]), service.client)
  expect(await coveredEnd(lake)).toBe(541)
  // Two for each head.
  expect(service.requests - before).toBe(6)
})

test('rows that are newer than all known ones do not make up for those that are left out', async () => {
  const lake = newItemLake()
  const service = createListService(itemsTo(500), 100)
  await runStream(lake, windowStream('blockWindow', [500]), service.client)
  service.items = [itemAt(515)]
  await expect(runStream(lake, windowStream('blockWindow', [520]), service.client)).rejects.toMatchObject(early)
  // The way out when the service no longer has the rows.
  await runStream(lake, windowStream('blockWindow', [520], 0), service.client)
  expect(await rowsOf(lake, items)).toHaveLength(31)
})

test('rows above the covered times are known, too', async () => {
  vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['Date'] })
  const lake = newItemLake()
  const service = createListService([itemAt(1_699_999_995)], 100)
  await runStream(lake, windowStream('timeWindow', [1_699_999_998]), service.client)
  vi.setSystemTime(1_700_086_400_000)
  lieTo(service, 2)
  await expect(runStream(lake, windowStream('timeWindow', [1_700_086_390]), service.client)).rejects.toMatchObject(
    early,
  )
})

test('a file that several streams share says nothing about one of them', async () => {
  const lake = newItemLake()
  const service = createListService([itemAt(495), { id: 'other', time: 300 }], 100)
  const only = (path: string, id: string, head: number): StreamDeclaration => {
    const { walk, ...declared } = windowStream('blockWindow', [head])
    const list = (slice: Slice): List =>
      listOf(slice, (answer, context, token) => {
        const own = (answer as ListAnswer).items.filter((item) => item.id === id)
        return decodeItems({ items: own }, context, token)
      })
    return { ...declared, stream: { network: 'test', path, parameters: {} }, walk: { ...walk, list } }
  }
  const job = (head: number) =>
    runStream(lake, only('a', 'item-495', head), service.client, { others: [only('b', 'other', head)] })
  await job(500)
  const { files } = await (await openCatalog({ folder: lake }, [items, observations])).tableFiles(items.name)
  expect(files).toHaveLength(1)
  service.items = []
  await job(520)
  expect(await coveredEnd(lake, 'test/a')).toBe(521)
})
