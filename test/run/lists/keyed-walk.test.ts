import { describe, expect, test } from 'vitest'
import type { Keyed, ReadingContext, Refusal, ServiceRequest, StreamDeclaration } from '../../../src/define/index.ts'
import { DecodeError, HttpError, RpcError } from '../../../src/errors.ts'
import type { ServiceClient } from '../../../src/sources/service-client.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'

/** One request for each name; the answer repeats the name. */
function questions(names: readonly string[]): StreamDeclaration {
  return {
    stream: { network: 'test', path: 'keyed', parameters: {} },
    tables: { items },
    walk: {
      kind: 'keyed',
      keys: names.map((name) => ({
        key: { item_id: name },
        request: { host: 'data', method: 'GET', path: `/${name}`, query: {}, weight: 'small' },
        decode: (answer) => ({
          rows: { items: [{ network: 'test', item_id: answer as string, item_time: 1 }] },
          items: [],
          next: null,
        }),
      })),
    },
  }
}

function answering(refused: Readonly<Record<string, number>> = {}) {
  const requested: string[] = []
  const client = {
    ask: async (request, { parse }) => {
      const name = request.path.slice(1)
      requested.push(name)
      const status = refused[name]
      if (status !== undefined) throw new HttpError(`${name} is refused.`, status)
      return parse(name)
    },
    close: async () => undefined,
  } as ServiceClient
  return { requested, client }
}

test('a key that has a row is not requested again', async () => {
  const lake = newItemLake()
  await runStream(lake, questions(['a', 'b']), answering().client)
  const { requested, client } = answering()
  await runStream(lake, questions(['a', 'b', 'c']), client)
  expect(requested).toEqual(['c'])
  expect(await rowsOf(lake, items)).toHaveLength(3)
})

test('a refused key fails the job, but all other keys are requested and their rows are stored', async () => {
  const lake = newItemLake()
  const { client } = answering({ b: 400 })
  await expect(runStream(lake, questions(['a', 'b', 'c']), client)).rejects.toThrow('b is refused')
  expect(await rowsOf(lake, items)).toHaveLength(2)
})

test('an unreadable answer fails the job but keeps the other rows; the next run requests only the failed key', async () => {
  const lake = newItemLake()
  const asking = questions(['a', 'b', 'c'])
  const { walk } = asking as { walk: Keyed }
  const keys = walk.keys.map((key) => ({
    ...key,
    decode: (answer: unknown, context: ReadingContext) => {
      if (answer === 'b') throw new DecodeError('b cannot be read.')
      return key.decode(answer, context)
    },
  }))
  const { requested, client } = answering()
  await expect(runStream(lake, { ...asking, walk: { ...walk, keys } }, client)).rejects.toThrow('b cannot be read')
  expect(await rowsOf(lake, items)).toHaveLength(2)
  await runStream(lake, asking, client)
  expect(requested).toEqual(['a', 'b', 'c', 'b'])
})

test('a key may need several requests, each with the token of the previous answer; the last answer gives its rows', async () => {
  const lake = newItemLake()
  const asking = questions(['a', 'b'])
  const { walk } = asking as { walk: Keyed }
  const keys = walk.keys.map((key) => ({
    ...key,
    next: (token: string) => ({ ...key.request, path: `/${token}` }) as ServiceRequest,
    decode: (answer: unknown, context: ReadingContext, token?: string | null) => {
      if (token === null) return { rows: { items: [] }, items: [], next: `${answer} again` }
      if (answer === 'b again') return { rows: { items: [] }, items: [], next: null }
      expect(token).toBe('a again')
      return key.decode('a', context)
    },
  }))
  const { requested, client } = answering()
  await runStream(lake, { ...asking, walk: { ...walk, keys } }, client)
  expect(requested.sort()).toEqual(['a', 'a again', 'b', 'b again'])
  expect(await rowsOf(lake, items)).toEqual([{ network: 'test', item_id: 'a', item_time: 1 }])
})

describe('a refusal that a node returns for a key', () => {
  const refusing = {
    ask: async (request, { parse }) => {
      const name = request.path.slice(1)
      if (name === 'b') throw new RpcError('it fails: not found', { code: -32000, answer: 'not found' })
      return parse(name)
    },
    close: async () => undefined,
  } as ServiceClient

  test('becomes a row when the walk defines one for it', async () => {
    const lake = newItemLake()
    const asking = questions(['a', 'b', 'c'])
    const { walk } = asking as { walk: Keyed }
    const keys = walk.keys.map((key) => ({
      ...key,
      refused: ({ code, message }: Refusal) =>
        message === 'not found'
          ? { rows: { items: [{ network: 'test', item_id: 'b', item_time: code }] }, items: [], next: null }
          : null,
    }))
    await runStream(lake, { ...asking, walk: { ...walk, keys } }, refusing)
    expect(await rowsOf(lake, items)).toContainEqual({ network: 'test', item_id: 'b', item_time: -32000 })
  })

  test('otherwise fails the job after all other keys have been requested', async () => {
    const lake = newItemLake()
    await expect(runStream(lake, questions(['a', 'b', 'c']), refusing)).rejects.toThrow('not found')
    expect(await rowsOf(lake, items)).toHaveLength(2)
  })
})

describe('keys without a row', () => {
  const unanswered = { column: 'item_id', reason: 'the node does not have these items', hint: 'Look elsewhere.' }
  /** Only names of one letter have items. Other requests get an answer without items. */
  function someQuestions(names: readonly string[]): StreamDeclaration {
    const asking = questions(names)
    const { walk } = asking as { walk: Keyed }
    const keys = walk.keys.map((key) => ({
      ...key,
      decode: (answer: unknown, context: ReadingContext) =>
        String(answer).length === 1 ? key.decode(answer, context) : { rows: { items: [] }, items: [], next: null },
    }))
    return { ...asking, walk: { ...walk, keys, unanswered } }
  }

  test('are listed in the result of every run, across all units', async () => {
    const lake = newItemLake()
    const told = { reason: unanswered.reason, hint: unanswered.hint, count: 2, ids: ['aa', 'bb'] }
    for (const upTo of [1, 2]) {
      const result = await runStream(lake, someQuestions(['aa', 'a', 'bb', 'b']), answering().client, {
        unitPages: upTo,
      })
      expect(result.unanswered).toEqual(told)
    }
    expect(await rowsOf(lake, items)).toHaveLength(2)
  })

  test('are all counted, but only 10,000 of them are listed', async () => {
    const names = Array.from({ length: 10_003 }, (_, at) => `none${at}`)
    const { unanswered: told } = await runStream(newItemLake(), someQuestions(names), answering().client)
    expect([told?.count, told?.ids.length]).toEqual([10_003, 10_000])
  })

  test('are not in the result when every key has a row', async () => {
    expect(await runStream(newItemLake(), someQuestions(['a']), answering().client)).not.toHaveProperty('unanswered')
  })
})
