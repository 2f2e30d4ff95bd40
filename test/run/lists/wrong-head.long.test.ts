import { afterEach, expect, test, vi } from 'vitest'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { repairLake } from '../../../src/repair/repair-lake.ts'
import type { RunEvent } from '../../../src/run/events.ts'
import { futureCoverage } from '../../../src/verify/catalog-checks.ts'
import { verifyLake } from '../../../src/verify/verify-lake.ts'
import { chainlake } from '../../cli/in-process.ts'
import { factsOfStream } from '../../lib/stream-of.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import { createListService, itemAt, windowStream } from './list-service.ts'

afterEach(() => void vi.useRealTimers())

async function coveredEnd(lake: string): Promise<number | undefined> {
  const { coverage } = await (await openCatalog({ folder: lake }, [...tables, items])).inventory()
  return coverage.at(-1)?.slice.to
}

test.each(['blockWindow', 'heightRange'] as const)('one wrong block of %s does not cover the future', async (kind) => {
  const lake = newItemLake()
  const service = createListService([itemAt(20)], 10)
  await runStream(lake, windowStream(kind, [1000, 20]), service.client)
  expect(await coveredEnd(lake)).toBe(21)
  service.items.unshift(itemAt(30))
  await runStream(lake, windowStream(kind, [30]), service.client)
  expect(await rowsOf(lake, items)).toHaveLength(2)
})

test('one time in the future does not cover the future; when it stays, the list is refused', async () => {
  vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['Date'] })
  const lake = newItemLake()
  const service = createListService([itemAt(1_699_990_000)], 10)
  await runStream(lake, windowStream('timeWindow', [1_857_000_000, 1_699_990_000]), service.client)
  expect(await coveredEnd(lake)).toBe(1_699_990_001)
  await expect(runStream(lake, windowStream('timeWindow', [1_700_090_000]), service.client)).rejects.toMatchObject({
    code: 'transport.head',
  })
})

test('one newest time that is too late, though not in the future, does not cover times without rows: first and later runs', async () => {
  vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['Date'] })
  const lake = newItemLake()
  const service = createListService([itemAt(1_699_000_000)], 10)
  await runStream(lake, windowStream('timeWindow', [1_699_999_000, 1_699_000_000]), service.client)
  expect(await coveredEnd(lake)).toBe(1_699_000_001)
  service.items.unshift(itemAt(1_699_500_000))
  await runStream(lake, windowStream('timeWindow', [1_699_999_000, 1_699_500_000]), service.client)
  expect(await coveredEnd(lake)).toBe(1_699_500_001)
  service.items.unshift(itemAt(1_699_900_000))
  await runStream(lake, windowStream('timeWindow', [1_699_900_000]), service.client)
  expect(await rowsOf(lake, items)).toHaveLength(3)
})

test('times that may still get rows are read but do not count as covered', async () => {
  vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['Date'] })
  const lake = newItemLake()
  const service = createListService([itemAt(1_699_999_999)], 10)
  await runStream(lake, windowStream('timeWindow', [1_699_999_999], 100), service.client)
  expect(await rowsOf(lake, items)).toHaveLength(1)
  expect(await coveredEnd(lake)).toBe(1_699_999_901)
  service.items.push(itemAt(1_699_999_850))
  vi.setSystemTime(1_700_000_010_000)
  await runStream(lake, windowStream('timeWindow', [1_700_000_009], 100), service.client)
  expect(await rowsOf(lake, items)).toHaveLength(2)
})

test('a head below the covered end is nothing new; a run warns when it lasts', async () => {
  const lake = newItemLake()
  const service = createListService([itemAt(20)], 10)
  await runStream(lake, windowStream('blockWindow', [20]), service.client)
  const events: RunEvent[] = []
  const late = await runStream(lake, windowStream('blockWindow', [15]), service.client, {
    emit: (event) => events.push(event),
  })
  expect(late.upToDate).toBe(true)
  expect(events).toMatchObject([
    {
      kind: 'warning',
      details: { 'covered end': '21', command: `chainlake repair --stream test/window --from 16 --lake ${lake}` },
    },
  ])
  const catalog = await openCatalog({ folder: lake }, [...tables, items])
  await catalog.recordRun({ reached: new Map([['test/window', Date.now() - 60_000]]), measures: [] })
  const soon: RunEvent[] = []
  await runStream(lake, windowStream('blockWindow', [15]), service.client, { emit: (event) => soon.push(event) })
  expect(soon).toEqual([])
})

test.each([
  ['blockWindow', 'its first run'],
  ['heightRange', 'its first run'],
  ['timeWindow', 'its first run'],
  ['blockWindow', 'a run without rows'],
  ['heightRange', 'a run without rows'],
  ['timeWindow', 'a run without rows'],
] as const)(
  'the lake stored a wrong head of %s in %s, and the repair command of the warning corrects it',
  async (kind, when) => {
    const lake = newItemLake()
    const service = createListService([itemAt(20)], 10)
    if (when !== 'its first run') await runStream(lake, windowStream(kind, [20], 0), service.client)
    await runStream(lake, windowStream(kind, [40], 0), service.client)
    service.items.unshift(itemAt(30))
    const commands: string[] = []
    await runStream(lake, windowStream(kind, [30], 0), service.client, {
      emit: (event) => {
        if (event.kind === 'warning') commands.push(String(event.details?.['command']))
      },
    })
    expect(await rowsOf(lake, items)).toHaveLength(1)
    const [command = ''] = commands
    const [name, ...args] = command.split(' ')
    expect(name).toBe('chainlake')
    expect(await chainlake(args)).toMatchObject({ code: 0 })
    service.items.unshift(itemAt(35))
    await runStream(lake, windowStream(kind, [35], 0), service.client)
    expect(await rowsOf(lake, items)).toHaveLength(3)
  },
)

test('verify names coverage of times in the future, and repair removes it, so that a run reads the times again', async () => {
  const lake = newItemLake()
  const service = createListService([itemAt(1_600_000_000)], 10)
  const future = Math.floor(Date.now() / 1000) + 157_680_000
  // An earlier version believed such a head.
  await runStream(lake, windowStream('blockWindow', [future]), service.client)
  const catalog = await openCatalog({ folder: lake }, [...tables, items])
  const facts = { pipeline: 'items', walk: 'timeWindow', unit: 'seconds', trailing: 10, tables: [items.name] }
  const declared = factsOfStream('test/window', facts)
  await (await catalog.startRun({ streams: [], command: 'test', declares: [declared] })).end('done')
  expect(futureCoverage(await catalog.inventory())).toMatchObject([
    { stream: 'test/window', slice: { to: future + 1 } },
  ])
  const at = { folder: lake }
  const { findings } = await verifyLake({ lake: at, fast: true })
  expect(findings.map(({ message }) => message).join()).toContain('ends in the future')
  await repairLake({ lake: at, requested: null, stop: new AbortController().signal })
  service.items.unshift(itemAt(1_600_000_100))
  await runStream(lake, windowStream('timeWindow', [1_600_000_100]), service.client)
  expect(await rowsOf(lake, items)).toHaveLength(2)
  expect(await coveredEnd(lake)).toBe(1_600_000_101)
})
