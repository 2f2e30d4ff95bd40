import { describe, expect, test } from 'vitest'
import { packageVersion } from '../../../src/lib/package.ts'
import {
  knownValues,
  parseTask,
  type Task,
  taskJson,
  taskKey,
  taskOf,
  taskText,
  urlHash,
  verifyTask,
} from '../../../src/run/work/task.ts'

const task: Task = {
  chainlake: packageVersion(),
  lake: 'a-lake',
  job: 'receipts',
  message: {
    pipeline: 'evm-blocks',
    values: { chain: { url: 0 }, from: 5 },
    facts: { node: null, answers: [{ chainId: 43_114n, genesisHash: '0x1' }] },
    ids: {},
  },
  urls: [urlHash('https://rpc.example/key')],
  streams: [{ network: 'local', path: 'C/evm', parameters: {} }],
  slice: { from: 0, to: 1024 },
  chainCheckpoint: { index: 0, id: '0x1' },
}

describe('a task', () => {
  test('is unchanged by conversion to JSON and back, and its JSON contains no URL', () => {
    const text = JSON.stringify(taskJson(task))
    expect(taskOf(JSON.parse(text))).toEqual(task)
    expect(text).not.toContain('rpc.example')
  })

  test.each([new Map(), new Set(), new Uint8Array(1), () => 1, Symbol('s')])(
    'is refused when JSON would change it: %s',
    (value) => {
      const odd = { ...task, message: { ...task.message, values: { odd: value } } }
      expect(() => taskJson(odd)).toThrow('JSON cannot represent')
    },
  )

  test('has a key that depends on its slice but not on the values of its message', () => {
    expect(taskKey({ ...task, message: { ...task.message, values: {} } })).toBe(taskKey(task))
    expect(taskKey({ ...task, slice: { from: 0, to: 2048 } })).not.toBe(taskKey(task))
    expect(taskKey({ ...task, slice: null })).not.toBe(taskKey(task))
  })

  test('names its URLs by hashes, and a worker finds them among the URLs that it knows', () => {
    expect(knownValues(task, ['https://other.example', 'https://rpc.example/key'])).toEqual({
      chain: 'https://rpc.example/key',
      from: 5,
    })
    expect(() => knownValues(task, ['https://rpc.example'])).toThrow(
      expect.objectContaining({
        code: 'work.url',
        hint: expect.stringContaining('the chainlake.yaml and the environment'),
      }),
    )
  })

  test('of another version of chainlake, or of another lake, is refused', () => {
    expect(() => verifyTask(task, 'a-lake')).not.toThrow()
    expect(() => verifyTask({ ...task, chainlake: '0.0.1' }, 'a-lake')).toThrow(
      expect.objectContaining({ code: 'work.format', hint: expect.stringContaining('Install the same version') }),
    )
    expect(() => verifyTask(task, 'another')).toThrow(expect.objectContaining({ code: 'work.lake' }))
  })

  test('is read from the line of JSON that holds it, and any other line is refused', () => {
    expect(parseTask(JSON.stringify(taskJson(task)))).toEqual(task)
    for (const line of ['', '{', 'null', '3', '{}', '{"message":"{}"}'])
      expect(() => parseTask(line)).toThrow(expect.objectContaining({ code: 'work.task' }))
    const written = taskJson(task)
    const [stream] = task.streams
    for (const change of [
      ...[null, '../../x', { ...stream, network: null }, { ...stream, parameters: 5 }].map((other) => ({
        streams: [other],
      })),
      ...[{ from: -1, to: 5 }, { from: 5, to: 5 }, { from: 0, to: '5' }, { from: 0, to: 1e300 }, 'x'].map((slice) => ({
        slice,
      })),
      ...[{ streams: [] }, { urls: [5] }, { message: '{' }, { message: 5 }, { job: null }, { lake: {} }],
      ...[{ chainCheckpoint: 'x' }, { chainCheckpoint: { index: '0', id: 5 } }],
    ])
      expect(() => parseTask(JSON.stringify({ ...written, ...change })), JSON.stringify(change)).toThrow(
        expect.objectContaining({ code: 'work.task' }),
      )
    expect(() => parseTask('{"chainlake":"0.0.1"}')).toThrow(expect.objectContaining({ code: 'work.format' }))
  })

  test('has a readable name', () => {
    expect(taskText(task)).toBe('receipts: local/C/evm [0, 1024)')
    expect(taskText({ ...task, slice: null, streams: [...task.streams, ...task.streams] })).toBe(
      'receipts: local/C/evm and 1 more',
    )
  })
})
