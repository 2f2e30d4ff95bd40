import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { StreamDeclaration } from '../../../src/define/index.ts'
import { subtract } from '../../../src/plan/intervals.ts'
import { walkOldestFirst, walkPageChain } from '../../../src/run/lists/growing-lists.ts'
import { walkSeries } from '../../../src/run/lists/series-walk.ts'
import { runs } from '../../runs.ts'
import { itemAt, newestFirst } from './changing-list.ts'
import { items, versions } from './item-lake.ts'
import {
  createListService,
  decodeItems,
  decodeVersions,
  type ListAnswer,
  type ListService,
  listOf,
} from './list-service.ts'
import { type MemoryLake, memoryRun, newMemoryLake } from './memory-lake.ts'

vi.mock('../../../src/run/rows/list-batch.ts', async () => ({
  createListBatch: (await import('./memory-lake.ts')).memoryBatch,
}))
vi.mock('../../../src/run/rows/commit-batch.ts', async () => ({
  commitRows: (await import('./memory-lake.ts')).memoryCommit,
}))
const retention = 10_000
const stream = { network: 'test', path: 'items', parameters: {} }
const chain: StreamDeclaration = { stream, tables: { items }, walk: { kind: 'pageChain', list: listOf(), trailing: 5 } }
const untimed: StreamDeclaration = {
  stream,
  tables: { items },
  walk: {
    kind: 'pageChain',
    trailing: 0,
    list: listOf({}, (answer, context, token) => {
      const page = decodeItems(answer, context, token)
      return { ...page, items: page.items.map(({ key }) => ({ key, time: null })) }
    }),
  },
}
const ascending: StreamDeclaration = {
  stream,
  tables: { items },
  walk: { kind: 'oldestFirst', list: listOf({ order: 'asc' }), newestFirst: listOf(), trailing: 5 },
}
const oneOrder: StreamDeclaration = {
  stream,
  tables: { items },
  walk: { kind: 'oldestFirst', list: listOf({ order: 'asc' }), trailing: 5 },
}
const series: StreamDeclaration = {
  stream,
  tables: { versions },
  walk: { kind: 'series', list: listOf({}, decodeVersions), from: 0, interval: 1, again: 3 },
}

const withoutToken = ({ items }: ListAnswer): ListAnswer => ({ items })
const withNullToken = ({ items }: ListAnswer): ListAnswer => ({ items, next: null })
const empty = (): ListAnswer => ({ items: [] })

/** Runs a walk once; resolves to whether nothing was new. */
async function runStream(lake: MemoryLake, declared: StreamDeclaration, service: ListService, stop?: AbortSignal) {
  const run = memoryRun(lake, service.client, stop)
  const context = () => ({ observationId: 'o', observedAt: 0n, unknownField: () => undefined, memory: new Map() })
  const { walk, ...others } = declared
  const options = { stream: { walk, ...others }, run, context }
  if (walk.kind === 'pageChain') return walkPageChain({ ...options, walk })
  if (walk.kind === 'oldestFirst') return walkOldestFirst({ ...options, walk })
  if (walk.kind === 'series') return walkSeries({ ...options, walk })
  return expect.fail('no walk over a list')
}

function idsIn({ rows }: MemoryLake): string[] {
  return [...rows.values()].map((row) => (row as { item_id: string }).item_id).sort()
}
const allOf = (service: ListService) => service.items.map(({ id }) => id).sort()

/** Lies in this request of the next runs, counted from 0; `always`: in it and all later ones. */
function lieAt(service: ListService, at: number, lie: (answer: ListAnswer) => ListAnswer, always = false): void {
  const first = service.requests
  service.lie = (answer, requests) =>
    requests - first === at || (always && requests - first >= at) ? lie(answer) : answer
}

/** A lake that has read the whole list of a service, and a list that has grown since. */
async function grownList(declared: StreamDeclaration, more = 40) {
  const lake = newMemoryLake()
  const service = createListService(newestFirst(60), 10)
  await runStream(lake, declared, service)
  service.killTokens()
  for (let position = 60; position < 60 + more; position++) service.items.unshift(itemAt(position))
  return { lake, service }
}

/** Number of open and of accepted holes. */
function holesIn({ stretches, covered, accepted }: MemoryLake) {
  const ends = covered.flatMap(({ from, to }) => [from, to])
  const whole = covered.length === 0 ? [] : [{ from: Math.min(...ends), to: Math.max(...ends) }]
  const count = (hole: string) => stretches.filter((stretch) => stretch.hole === hole).length
  return {
    open: subtract(whole, [...covered, ...accepted]).length + count('open'),
    accepted: subtract(accepted, covered).length + count('accepted'),
  }
}

/** What `gaps --accept` and `gaps --revoke` do. */
function accept(lake: MemoryLake, isAccepted: boolean): void {
  const [from, to] = isAccepted ? ['open', 'accepted'] : ['accepted', 'open']
  const ends = lake.covered.flatMap((slice) => [slice.from, slice.to])
  const whole = ends.length === 0 ? [] : [{ from: Math.min(...ends), to: Math.max(...ends) }]
  lake.accepted = isAccepted ? subtract(whole, lake.covered) : []
  lake.stretches = lake.stretches.map((stretch) =>
    stretch.hole === from ? { ...stretch, hole: to as 'open' | 'accepted' } : stretch,
  )
}

const early = { code: 'transport.early-end', exitCode: 3 }

describe.each([
  ['a list with the newest items first', chain],
  ['a list without times', untimed],
  ['a list with the oldest items first', ascending],
  ['a series', series],
])('%s', (_, declared) => {
  test.each([
    ['a first page without a token', 0, withoutToken],
    ['an empty first page', 0, empty],
    ['a later page with a token that is null', 2, withNullToken],
    ['an empty later page', 1, empty],
  ])('loses nothing when one answer ends it too early: %s', async (__, at, lie) => {
    const { lake, service } = await grownList(declared)
    lieAt(service, at, lie)
    await runStream(lake, declared, service)
    expect(idsIn(lake)).toEqual(allOf(service))
    service.lie = (answer) => answer
    expect(await runStream(lake, declared, service)).toBe(true)
    expect(holesIn(lake).open).toBe(0)
  })

  test('is incomplete while it ends too early again, and complete when it does not', async () => {
    const { lake, service } = await grownList(declared)
    for (let run = 0; run < 2; run++) {
      lieAt(service, 0, withoutToken, true)
      await expect(runStream(lake, declared, service)).rejects.toMatchObject(early)
      expect(idsIn(lake)).toHaveLength(70)
      expect(holesIn(lake).open).toBe(1)
      service.killTokens()
    }
    service.lie = (answer) => answer
    service.items.unshift(itemAt(100))
    await runStream(lake, declared, service)
    expect(idsIn(lake)).toEqual(allOf(service))
    expect(holesIn(lake).open).toBe(0)
  })

  test('is incomplete while it is empty over known rows', async () => {
    const { lake, service } = await grownList(declared)
    lieAt(service, 0, empty, true)
    await expect(runStream(lake, declared, service)).rejects.toMatchObject(early)
    expect(holesIn(lake).open).toBe(1)
    const { commits } = lake
    await expect(runStream(lake, declared, service)).rejects.toMatchObject(early)
    expect(lake.commits).toBe(commits)
    service.lie = (answer) => answer
    await runStream(lake, declared, service)
    expect(idsIn(lake)).toEqual(allOf(service))
    expect(holesIn(lake).open).toBe(0)
  })

  test('ends at a hole that the user accepted, until the user revokes it', async () => {
    const { lake, service } = await grownList(declared)
    service.items = service.items.slice(0, 10)
    await expect(runStream(lake, declared, service)).rejects.toMatchObject(early)
    accept(lake, true)
    service.items.unshift(itemAt(100))
    await runStream(lake, declared, service)
    expect(await runStream(lake, declared, service)).toBe(true)
    expect(holesIn(lake)).toEqual({ open: 0, accepted: 1 })
    // Another hole is not accepted with it.
    service.items = [itemAt(120)]
    await expect(runStream(lake, declared, service)).rejects.toMatchObject(early)
    service.items = [itemAt(120), ...newestFirst(101)]
    accept(lake, false)
    await runStream(lake, declared, service)
    expect(idsIn(lake)).toEqual(allOf(service))
  })

  test('may end above rows that are older than its retention', async () => {
    if (declared === untimed) return
    const walk = { ...declared.walk, retention } as typeof declared.walk
    const kept = { ...declared, walk }
    const { lake, service } = await grownList(kept)
    service.items = service.items.slice(0, 10)
    await runStream(lake, kept, service)
    expect(await runStream(lake, kept, service)).toBe(true)
    expect(holesIn(lake).open).toBe(0)
    service.items = []
    await runStream(lake, kept, service)
    expect(holesIn(lake).open).toBe(0)
  })
})

describe('a list that a stopped run has read in part', () => {
  const stopped = async (dead: boolean) => {
    const lake = newMemoryLake()
    const service = createListService(newestFirst(60), 4)
    const stop = new AbortController()
    service.before = (requests) => {
      if (requests === 6) stop.abort(new Error('stopped'))
    }
    await runStream(lake, chain, service, stop.signal).catch(() => undefined)
    service.before = () => undefined
    if (dead) service.killTokens()
    for (let position = 60; position < 90; position++) service.items.unshift(itemAt(position))
    return { lake, service }
  }

  test.each([
    [false, 0],
    [true, 0],
    [false, 8],
    [true, 9],
    [true, 11],
  ])('is read to its end when an answer ends it too early (dead token: %s, request %i)', async (dead, at) => {
    const { lake, service } = await stopped(dead)
    lieAt(service, at, withoutToken)
    await runStream(lake, chain, service)
    expect(idsIn(lake)).toEqual(allOf(service))
    expect(holesIn(lake).open).toBe(0)
  })

  test('has a hole below its known part when it ends within it', async () => {
    const { lake, service } = await stopped(true)
    service.items = service.items.slice(0, 34)
    await expect(runStream(lake, chain, service)).rejects.toMatchObject(early)
    expect(lake.stretches).toMatchObject([{ hole: 'open', end: false }])
  })
})

describe('a list with its oldest items first and no other order', () => {
  test('is read from its beginning when its last page ends too early, and has a hole when it ends so again', async () => {
    const { lake, service } = await grownList(oneOrder)
    // The dead token is requested three times before.
    lieAt(service, 3, empty)
    await runStream(lake, oneOrder, service)
    expect(idsIn(lake)).toEqual(allOf(service))
    lieAt(service, 0, empty, true)
    for (let run = 0; run < 2; run++) {
      await expect(runStream(lake, oneOrder, service)).rejects.toMatchObject(early)
      expect(holesIn(lake)).toEqual({ open: 1, accepted: 0 })
    }
    accept(lake, true)
    expect(await runStream(lake, oneOrder, service)).toBe(true)
    expect(holesIn(lake)).toEqual({ open: 0, accepted: 1 })
    service.lie = (answer) => answer
    service.items.unshift(itemAt(100))
    await runStream(lake, oneOrder, service)
    expect(idsIn(lake)).toEqual(allOf(service))
    expect(holesIn(lake)).toEqual({ open: 0, accepted: 0 })
  })

  test('keeps an accepted hole when a run stops before the newest known item', async () => {
    const { lake, service } = await grownList(oneOrder)
    lieAt(service, 0, empty, true)
    await expect(runStream(lake, oneOrder, service)).rejects.toMatchObject(early)
    accept(lake, true)
    service.lie = (answer) => answer
    service.killTokens()
    const [stop, first, commits] = [new AbortController(), service.requests, lake.commits]
    service.before = (requests) => {
      if (requests === first + 3) stop.abort(new Error('stopped'))
    }
    await runStream(lake, oneOrder, service, stop.signal).catch(() => undefined)
    service.before = () => undefined
    expect(lake.commits).toBeGreaterThan(commits)
    expect(holesIn(lake)).toEqual({ open: 0, accepted: 1 })
    await runStream(lake, oneOrder, service)
    expect(idsIn(lake)).toEqual(allOf(service))
    expect(holesIn(lake)).toEqual({ open: 0, accepted: 0 })
  })

  test('is read again if a run resumes and does not find the newest known item', async () => {
    for (const declared of [oneOrder, ascending]) {
      const lake = newMemoryLake()
      const service = createListService(newestFirst(60), 11)
      await runStream(lake, declared, service)
      for (let position = 60; position < 70; position++) service.items.unshift(itemAt(position))
      lieAt(service, 0, (answer) => ({ ...answer, items: [] }))
      await runStream(lake, declared, service)
      expect(idsIn(lake)).toEqual(allOf(service))
    }
  })

  test('is read on with a token of any age', async () => {
    const lake = newMemoryLake()
    const service = createListService(newestFirst(60), 10)
    await runStream(lake, oneOrder, service)
    lake.stretches = lake.stretches.map((stretch) => ({ ...stretch, tokenAtMs: 0 }))
    const before = service.requests
    service.items.unshift(itemAt(60))
    await runStream(lake, oneOrder, service)
    expect(service.requests - before).toBe(2)
  })
})

test('a list that is declared with its newest item first and has its oldest item first is refused', async () => {
  const upwards: StreamDeclaration = {
    ...chain,
    walk: { kind: 'pageChain', list: listOf({ order: 'asc' }), trailing: 5 },
  }
  const lake = newMemoryLake()
  const service = createListService(newestFirst(2), 10)
  // Two items show no order.
  await runStream(lake, upwards, service)
  service.items.unshift(itemAt(2))
  const refused = { code: 'decode.order', exitCode: 4, hint: expect.stringContaining('oldestFirst') }
  await expect(runStream(lake, upwards, service)).rejects.toMatchObject(refused)
  await expect(runStream(newMemoryLake(), upwards, service)).rejects.toMatchObject(refused)
})

test('items in another order at the end of a list that a later run reads do not show that it has its oldest item first', async () => {
  const lake = newMemoryLake()
  const last = [900, 901, 902].map((time) => ({ id: `old-${time}`, time }))
  const service = createListService([...newestFirst(20), ...last], 10)
  const stop = new AbortController()
  service.before = (requests) => {
    if (requests === 2) stop.abort(new Error('stopped'))
  }
  await runStream(lake, chain, service, stop.signal).catch(() => undefined)
  expect(idsIn(lake)).toHaveLength(20)
  service.before = () => undefined
  await runStream(lake, chain, service)
  expect(idsIn(lake)).toEqual(allOf(service))
})

test('any answers that end lists too early lose nothing once the list is whole again', async () => {
  const lies = fc.array(fc.tuple(fc.nat(12), fc.constantFrom(withoutToken, empty)), { maxLength: 4 })
  const round = fc.record({ more: fc.nat(25), lies, stopAfter: fc.integer({ min: 1, max: 25 }), kill: fc.boolean() })
  const walks = fc.constantFrom(chain, untimed, ascending, oneOrder, series)
  await fc.assert(
    fc.asyncProperty(walks, fc.array(round, { maxLength: 4 }), async (declared, rounds) => {
      const lake = newMemoryLake()
      let count = 30
      const service = createListService(newestFirst(count), 5)
      // On a fresh list an early end cannot be seen.
      await runStream(lake, declared, service)
      for (const { more, lies: told, stopAfter, kill } of rounds) {
        for (let each = 0; each < more; each++) service.items.unshift(itemAt(count++))
        if (kill) service.killTokens()
        const stop = new AbortController()
        const first = service.requests
        service.before = (requests) => {
          if (requests - first === stopAfter) stop.abort(new Error('stopped'))
        }
        service.lie = (answer, requests) =>
          told.reduce((now, [at, lie]) => (at === requests - first ? lie(now) : now), answer)
        await runStream(lake, declared, service, stop.signal).catch(() => undefined)
      }
      service.before = () => undefined
      service.lie = (answer) => answer
      await runStream(lake, declared, service)
      expect(idsIn(lake)).toEqual(allOf(service))
      expect(holesIn(lake).open).toBe(0)
    }),
    { numRuns: runs(100) },
  )
})
