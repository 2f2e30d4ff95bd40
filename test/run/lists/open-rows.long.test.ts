import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { versionColumns } from '../../../schemas/shared/service-columns.ts'
import { type DecodePage, identity, type StreamDeclaration, t, table } from '../../../src/define/index.ts'
import { runs } from '../../runs.ts'
import { itemAt, newestFirst } from './changing-list.ts'
import { newItemLake, rowsOf, runStream } from './item-lake.ts'
import { createListService, type Item, type ListService, listOf } from './list-service.ts'

const messages = table({
  name: 'rest_messages',
  comment: 'Versions of messages.',
  key: ['network', 'item_id', 'observed_at'],
  sortBy: ['sent_time'],
  partitionBy: [identity('network')],
  history: 'versions',
  columns: {
    network: t.text('Network.'),
    item_id: t.text('Name of the message.'),
    sent_time: t.timestamp('When it was sent.', { nullable: true }),
    message_status: t.text('pending or delivered.'),
    ...versionColumns,
  },
})

/** A list of messages that are pending until they are delivered. */
type Messages = { readonly service: ListService; readonly delivered: Set<string>; readonly stream: StreamDeclaration }

function messagesOf(items: readonly Item[], pageSize: number, network = 'test'): Messages {
  const delivered = new Set<string>()
  const decode: DecodePage = (answer, { observationId, observedAt }) => {
    const { items, next } = answer as { items: readonly Item[]; next?: string }
    const rows = items.map(({ id, time }) => ({
      network,
      item_id: id,
      sent_time: BigInt(time) * 1_000_000n,
      message_status: delivered.has(id) ? 'delivered' : 'pending',
      observation_id: observationId,
      observed_at: observedAt,
      version_hash: '',
    }))
    return { rows: { messages: rows }, items: items.map(({ id, time }) => ({ key: id, time })), next: next ?? null }
  }
  const stream: StreamDeclaration = {
    stream: { network, path: 'messages', parameters: {} },
    tables: { messages },
    walk: {
      kind: 'pageChain',
      list: listOf({}, decode),
      trailing: 2,
      open: { where: { message_status: ['pending'] }, time: 'sent_time' },
    },
  }
  return { service: createListService(items, pageSize), delivered, stream }
}

type Version = { readonly item_id: string; readonly message_status: string; readonly observed_at: bigint }

async function versionsOf(lake: string): Promise<Map<string, Version[]>> {
  const rows = (await rowsOf(lake, messages, [messages])) as Version[]
  const byId = new Map<string, Version[]>()
  for (const row of rows.toSorted((a, b) => Number(a.observed_at - b.observed_at)))
    byId.set(row.item_id, [...(byId.get(row.item_id) ?? []), row])
  return byId
}

const read = (lake: string, { stream, service }: Messages, stop?: AbortSignal) =>
  runStream(lake, stream, service.client, {
    declared: [messages],
    unitPages: 3,
    ...(stop === undefined ? {} : { stop }),
  })

describe('a list with rows that may still change', () => {
  test('is read again down to the oldest of them, and only changed rows get a version', async () => {
    const lake = newItemLake()
    const list = messagesOf(newestFirst(200), 5)
    for (const { id } of list.service.items) if (id !== 'item-100') list.delivered.add(id)
    await read(lake, list)
    list.service.items.unshift(itemAt(200))
    list.delivered.add('item-100')
    const before = list.service.requests
    expect((await read(lake, list)).tables[0]?.rows).toBe(2)
    // Twenty pages above the pending message, its page, and one below.
    expect(list.service.requests - before).toBeLessThan(25)
    const versions = await versionsOf(lake)
    expect(versions.get('item-100')?.map((row) => row.message_status)).toEqual(['pending', 'delivered'])
    expect(versions.size).toBe(201)
    list.delivered.add('item-200')
    await read(lake, list)
    const after = list.service.requests
    expect((await read(lake, list)).upToDate).toBe(true)
    expect(list.service.requests - after).toBeLessThan(3)
  })

  test('is read again completely by each run, even if the last commit of a run before was in the middle', async () => {
    const lake = newItemLake()
    const list = messagesOf(newestFirst(60), 5)
    for (const { id } of list.service.items) if (!/^item-(2|40)$/.test(id)) list.delivered.add(id)
    await read(lake, list)
    list.service.items.unshift(itemAt(60))
    await read(lake, list)
    list.delivered.add('item-40')
    expect((await read(lake, list)).tables[0]?.rows).toBe(1)
  })

  test('is not read down to such a row of another network', async () => {
    const lake = newItemLake()
    const other = messagesOf(newestFirst(20), 5, 'other')
    await read(lake, other)
    const list = messagesOf(newestFirst(100), 5)
    for (const { id } of list.service.items) list.delivered.add(id)
    await read(lake, list)
    const before = list.service.requests
    expect((await read(lake, list)).upToDate).toBe(true)
    expect(list.service.requests - before).toBeLessThan(3)
  })

  test('is completed before it is read again', async () => {
    const lake = newItemLake()
    const list = messagesOf(newestFirst(200), 5)
    const stop = new AbortController()
    list.service.before = (requests) => {
      if (requests === 30) stop.abort(new Error('stopped'))
    }
    await read(lake, list, stop.signal)
    list.service.before = () => undefined
    const before = list.service.requests
    await read(lake, list)
    expect(list.service.requests - before).toBeLessThan(15)
    expect((await versionsOf(lake)).size).toBe(200)
  })

  test('has all versions in the order of time, despite growth, stops, expired page tokens and late answers', async () => {
    const event = fc.record({
      grow: fc.nat(12),
      deliver: fc.array(fc.nat(80), { maxLength: 20 }),
      stopAfter: fc.integer({ min: 1, max: 25 }),
      tokenEnd: fc.constantFrom('refuse', 'restart'),
      during: fc.array(fc.tuple(fc.nat(15), fc.constantFrom('grow', 'kill', 'deliver')), { maxLength: 4 }),
    })
    const check = async (
      events: readonly (typeof event extends fc.Arbitrary<infer E> ? E : never)[],
      pageSize: number,
    ) => {
      const lake = newItemLake()
      const list = messagesOf(newestFirst(40), pageSize)
      const { service, delivered } = list
      const grow = () => service.items.unshift(itemAt(service.items.length))
      for (const { grow: more, deliver, stopAfter, tokenEnd, during } of events) {
        for (let each = 0; each < more; each++) grow()
        for (const position of deliver) delivered.add(`item-${position}`)
        service.tokenEnd = tokenEnd
        const stop = new AbortController()
        const first = service.requests
        service.before = (requests) => {
          for (const [at, change] of during) {
            if (requests - first !== at) continue
            if (change === 'grow') grow()
            else if (change === 'kill') service.killTokens()
            else delivered.add(`item-${at}`)
          }
          if (requests - first === stopAfter) stop.abort(new Error('stopped'))
        }
        await read(lake, list, stop.signal)
        service.before = () => undefined
      }
      // One run completes the list, and the next one reads it down to the oldest pending message.
      await read(lake, list)
      await read(lake, list)
      const versions = await versionsOf(lake)
      expect([...versions.keys()].sort()).toEqual(service.items.map(({ id }) => id).sort())
      for (const [id, rows] of versions) {
        const statuses = rows.map((row) => row.message_status)
        expect(statuses.at(-1), id).toBe(delivered.has(id) ? 'delivered' : 'pending')
        expect(new Set(statuses).size, id).toBe(statuses.length)
        expect(new Set(rows.map((row) => row.observed_at)).size, id).toBe(rows.length)
      }
    }
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 7 }), check),
      { numRuns: runs(1) },
    )
  })
})
