import { describe, expect, test } from 'vitest'
import type { DecodePage, StreamDeclaration } from '../../../src/define/index.ts'
import { items, newItemLake, observed, rowsOf, runStream } from './item-lake.ts'
import { createListService, decodeItems, decodeObserved, type Item, listOf } from './list-service.ts'

/** Every second item is also decoded as a row that never changes. */
const decodeBoth: DecodePage = (answer, context) => {
  const page = decodeObserved(answer, context)
  const { rows } = decodeItems(answer, context)
  const lasting = (rows['items'] as { item_id: string }[]).filter(({ item_id }) => /[02468]$/.test(item_id))
  return { ...page, rows: { ...page.rows, items: lasting } }
}

const both: StreamDeclaration = {
  stream: { network: 'test', path: 'observed', parameters: {} },
  tables: { observed, items },
  walk: { kind: 'snapshot', subjects: [{ name: 'everything', lists: [listOf({}, decodeBoth)] }] },
}

const listOfItems = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `item-${count - 1 - index}`, time: 1000 + count - 1 - index }))

const idsOf = async (lake: string) =>
  ((await rowsOf(lake, items)) as { item_id: string }[]).map(({ item_id }) => item_id).sort()

describe('rows of an observation that never change', () => {
  test('are stored once, however often they are seen, and are kept when the list no longer has them', async () => {
    const lake = newItemLake()
    const service = createListService(listOfItems(30), 4)
    await runStream(lake, both, service.client)
    await runStream(lake, both, service.client)
    expect(await rowsOf(lake, observed)).toHaveLength(60)
    const first = await idsOf(lake)
    expect(first).toHaveLength(15)
    service.items = listOfItems(34).slice(0, 6)
    await runStream(lake, both, service.client)
    expect(await rowsOf(lake, observed)).toHaveLength(66)
    expect(await idsOf(lake)).toEqual([...first, 'item-30', 'item-32'].sort())
  })

  test('are stored before the observation is complete, and not duplicated when it resumes after a stop', async () => {
    const lake = newItemLake()
    const service = createListService(listOfItems(60), 2)
    const stop = new AbortController()
    service.before = (requests) => {
      if (requests === 12) stop.abort(new Error('stopped'))
    }
    await runStream(lake, both, service.client, { stop: stop.signal })
    expect(await rowsOf(lake, observed)).toEqual([])
    const some = await idsOf(lake)
    expect(some.length).toBeGreaterThan(5)
    expect(some.length).toBeLessThan(30)
    service.before = () => undefined
    await runStream(lake, both, service.client)
    expect(await rowsOf(lake, observed)).toHaveLength(60)
    const all = await idsOf(lake)
    expect(all).toHaveLength(30)
    expect(new Set(all).size).toBe(30)
  })

  test('are stored once by two concurrent runs', async () => {
    const lake = newItemLake()
    await runStream(lake, both, createListService([], 4).client)
    const other: StreamDeclaration = { ...both, stream: { ...both.stream, path: 'another' } }
    await Promise.all(
      [both, other].map((stream) => runStream(lake, stream, createListService(listOfItems(40), 4).client)),
    )
    expect(await idsOf(lake)).toHaveLength(20)
    expect(await rowsOf(lake, observed)).toHaveLength(80)
  })
})
