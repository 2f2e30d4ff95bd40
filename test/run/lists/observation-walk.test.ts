import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { observations } from '../../../schemas/lake.ts'
import type { StreamDeclaration } from '../../../src/define/index.ts'
import { HttpError } from '../../../src/errors.ts'
import { runs } from '../../runs.ts'
import { newItemLake, observed, rowsOf, runStream, versions } from './item-lake.ts'
import { createListService, decodeObserved, decodeVersions, type Item, listOf } from './list-service.ts'

const whole: StreamDeclaration = {
  stream: { network: 'test', path: 'observed', parameters: {} },
  tables: { observed },
  walk: { kind: 'snapshot', subjects: [{ name: 'everything', lists: [listOf({}, decodeObserved)] }] },
}
const versioned: StreamDeclaration = {
  stream: { network: 'test', path: 'versions', parameters: {} },
  tables: { versions },
  walk: { kind: 'snapshot', subjects: [{ name: 'everything', lists: [listOf({}, decodeVersions)] }] },
}

const newestFirst = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `item-${count - 1 - index}`, time: 1000 + count - 1 - index }))

type VersionRow = { item_id: string; item_time: bigint; present: boolean; observed_at: bigint; observation_id: string }

describe('a list that every run reads whole', () => {
  test('is read again by each run, even when it is empty', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(25), 4)
    await runStream(lake, whole, service.client)
    service.items = []
    await runStream(lake, whole, service.client)
    expect(await rowsOf(lake, observed)).toHaveLength(25)
    expect(await rowsOf(lake, observations)).toHaveLength(2)
  })

  test.each(['refuse', 'restart'] as const)(
    'has no rows in the lake before it is complete, and resumes after a stop (%s)',
    async (tokenEnd) => {
      const lake = newItemLake()
      const service = createListService(newestFirst(60), 2)
      service.tokenEnd = tokenEnd
      const stop = new AbortController()
      service.before = (requests) => {
        if (requests === 12) stop.abort(new Error('stopped'))
      }
      await runStream(lake, whole, service.client, { stop: stop.signal })
      expect(await rowsOf(lake, observed)).toEqual([])
      service.before = () => undefined
      const before = service.requests
      await runStream(lake, whole, service.client)
      expect(service.requests - before).toBeLessThan(26)
      const rows = (await rowsOf(lake, observed)) as { item_id: string; observation_id: string }[]
      expect(new Set(rows.map(({ item_id }) => item_id)).size).toBe(60)
      expect(rows).toHaveLength(60)
      expect(new Set(rows.map(({ observation_id }) => observation_id)).size).toBe(1)
    },
  )

  test('is dated when its reading began, not when an earlier attempt failed or requested other lists', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(60), 2)
    service.before = () => {
      throw new HttpError('down', 503)
    }
    await expect(runStream(lake, whole, service.client)).rejects.toThrow('down')
    const stop = new AbortController()
    const other: StreamDeclaration = {
      ...whole,
      walk: { kind: 'snapshot', subjects: [{ name: 'few', lists: [listOf({ to: 1030 }, decodeObserved)] }] },
    }
    service.before = (requests) => {
      if (requests === 12) stop.abort(new Error('stopped'))
    }
    await runStream(lake, other, service.client, { stop: stop.signal })
    service.before = () => undefined
    const begun = BigInt(Date.now()) * 1000n
    await runStream(lake, whole, service.client)
    for (const { observed_at } of (await rowsOf(lake, observed)) as { observed_at: bigint }[])
      expect(observed_at).toBeGreaterThanOrEqual(begun)
    expect(await rowsOf(lake, observations)).toMatchObject([{ subject: 'everything' }])
  })

  test('is read from the beginning when the next run requests other lists', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(60), 2)
    const stop = new AbortController()
    service.before = (requests) => {
      if (requests === 12) stop.abort(new Error('stopped'))
    }
    await runStream(lake, whole, service.client, { stop: stop.signal })
    service.before = () => undefined
    const fewer: StreamDeclaration = {
      ...whole,
      walk: { kind: 'snapshot', subjects: [{ name: 'few', lists: [listOf({ to: 1030 }, decodeObserved)] }] },
    }
    await runStream(lake, fewer, service.client)
    expect(await rowsOf(lake, observed)).toHaveLength(30)
    expect(await rowsOf(lake, observations)).toHaveLength(1)
  })

  test('is not read again by a run that resumes after it was staged with its last page', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(12), 2)
    let [requests, isDown] = [0, true]
    service.lie = (answer, _, { to }) => {
      if (to !== undefined && isDown) throw new HttpError('down', 503)
      requests += to === undefined ? 1 : 0
      return answer
    }
    const lists = [listOf({}, decodeObserved), listOf({ to: 1006 }, decodeObserved)]
    const two: StreamDeclaration = { ...whole, walk: { kind: 'snapshot', subjects: [{ name: 'both', lists }] } }
    await expect(runStream(lake, two, service.client, { unitPages: 3 })).rejects.toThrow('down')
    expect(requests).toBe(6)
    isDown = false
    await runStream(lake, two, service.client)
    expect(requests).toBe(6)
    expect(await rowsOf(lake, observed)).toHaveLength(12)
  })

  test('fails the run when its page tokens keep expiring, also when the run resumes', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(60), 2)
    service.tokenEnd = 'restart'
    service.before = (requests) => {
      if (requests % 8 === 7) service.killTokens()
    }
    for (let run = 0; run < 2; run++)
      await expect(runStream(lake, whole, service.client)).rejects.toThrow('refuses its next pages')
    expect(await rowsOf(lake, observed)).toEqual([])
    service.before = () => undefined
    await runStream(lake, whole, service.client)
    expect(await rowsOf(lake, observed)).toHaveLength(60)
  })

  test('is read again from the beginning when its page token has expired, without duplicate rows', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(60), 2)
    service.before = (requests) => {
      if (requests === 14) service.killTokens()
    }
    await runStream(lake, whole, service.client)
    expect(await rowsOf(lake, observed)).toHaveLength(60)
  })
})

describe('versions', () => {
  const latestOf = async (lake: string) => {
    const rows = (await rowsOf(lake, versions)) as VersionRow[]
    const latest = new Map<string, VersionRow>()
    for (const row of rows.sort((a, b) => (a.observed_at < b.observed_at ? -1 : 1))) latest.set(row.item_id, row)
    return { rows, latest }
  }

  test('are stored when an item changes, disappears or comes back', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(20), 3)
    await runStream(lake, versioned, service.client)
    await runStream(lake, versioned, service.client)
    expect((await latestOf(lake)).rows).toHaveLength(20)

    service.items = service.items
      .filter(({ id }) => id !== 'item-7')
      .map((item) => (item.id === 'item-3' ? { ...item, time: 5 } : item))
    await runStream(lake, versioned, service.client)
    const after = await latestOf(lake)
    expect(after.rows).toHaveLength(22)
    expect(after.latest.get('item-7')).toMatchObject({ present: false, item_time: 1007 })
    expect(after.latest.get('item-3')).toMatchObject({ present: true, item_time: 5 })

    await runStream(lake, versioned, service.client)
    expect((await latestOf(lake)).rows).toHaveLength(22)
    service.items = [...service.items, { id: 'item-7', time: 1007 }]
    await runStream(lake, versioned, service.client)
    expect((await latestOf(lake)).latest.get('item-7')).toMatchObject({ present: true })
  })

  test('are not marked as gone by another read that covers fewer items', async () => {
    const lake = newItemLake()
    const service = createListService(newestFirst(20), 3)
    await runStream(lake, versioned, service.client)
    const fewer: StreamDeclaration = {
      ...versioned,
      stream: { ...versioned.stream, path: 'fewer' },
      walk: { kind: 'snapshot', subjects: [{ name: 'few', lists: [listOf({ from: 1010 }, decodeVersions)] }] },
    }
    await runStream(lake, fewer, service.client)
    const { rows, latest } = await latestOf(lake)
    expect(rows).toHaveLength(20)
    expect([...latest.values()].every(({ present }) => present)).toBe(true)
  })

  test('match the list after any sequence of changes, stops and expired page tokens', async () => {
    const change = fc.record({
      /** Positions of items that are removed before a run. `other`: items that change; `more`: number of new items. */
      gone: fc.array(fc.nat(30), { maxLength: 3 }),
      other: fc.array(fc.nat(30), { maxLength: 3 }),
      more: fc.nat(4),
      stopAfter: fc.integer({ min: 1, max: 25 }),
      killAt: fc.nat(20),
      tokenEnd: fc.constantFrom('refuse' as const, 'restart' as const),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 6 }),
        async (changes, pageSize) => {
          const lake = newItemLake()
          let count = 30
          const service = createListService(newestFirst(count), pageSize)
          for (const { gone, other, more, stopAfter, killAt, tokenEnd } of changes) {
            service.items = service.items.filter(({ id }) => !gone.some((position) => id === `item-${position}`))
            service.items = service.items.map((item) =>
              other.some((position) => item.id === `item-${position}`) ? { ...item, time: item.time + 5000 } : item,
            )
            for (let each = 0; each < more; each++) service.items.unshift({ id: `item-${count}`, time: 1000 + count++ })
            service.tokenEnd = tokenEnd
            const stop = new AbortController()
            const first = service.requests
            service.before = (requests) => {
              if (requests - first === killAt) service.killTokens()
              if (requests - first === stopAfter) stop.abort(new Error('stopped'))
            }
            await runStream(lake, versioned, service.client, { stop: stop.signal })
          }
          service.before = () => undefined
          // The first run may complete an observation that began before the last change.
          await runStream(lake, versioned, service.client)
          await runStream(lake, versioned, service.client)
          const { rows, latest } = await latestOf(lake)
          const present = [...latest.values()].filter((row) => row.present)
          expect(new Map(present.map((row) => [row.item_id, Number(row.item_time)]))).toEqual(
            new Map(service.items.map(({ id, time }) => [id, time])),
          )
          // Each version differs from the previous one.
          const before = new Map<string, string>()
          for (const { item_id, item_time, present: there } of rows) {
            expect(`${item_time} ${there}`).not.toBe(before.get(item_id))
            before.set(item_id, `${item_time} ${there}`)
          }
        },
      ),
      { numRuns: runs(1) },
    )
  })
})
