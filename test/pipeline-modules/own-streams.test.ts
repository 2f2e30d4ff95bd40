import { expect, test } from 'vitest'
import { nodeHealth } from '../../schemas/node-state.ts'
import { pipeline, type StreamDeclaration } from '../../src/define/index.ts'
import { DecodeError } from '../../src/errors.ts'
import { checkOwnPipeline, checkOwnStreams } from '../../src/pipeline-modules/load-module.ts'

const mine = pipeline({
  name: 'mine',
  comment: 'Mine.',
  parameters: {},
  reads: 'node',
  walks: ['pageChain'],
  tables: { health: nodeHealth },
  streams: () => [],
})

const request = () => ({ host: 'data', method: 'GET', path: '/a', query: {}, weight: 'free' }) as const
const page = { rows: { health: [] }, items: [], next: null }
const list = { request, decode: () => page }

/** The stream of a walk that modules without types may write. */
const checked = (walk: object) =>
  checkOwnStreams(mine, [
    {
      stream: { network: 'local', path: 'mine', parameters: {} },
      tables: mine.tables,
      walk,
    } as unknown as StreamDeclaration,
  ])

test.each([
  [{ kind: 'pages', list, trailing: 0 }, 'an unknown kind: pages'],
  [{ kind: 'pageChain', trailing: 0 }, 'no object list'],
  [{ kind: 'pageChain', list: { request }, trailing: 0 }, 'no function decode'],
  [{ kind: 'pageChain', list, trailing: '0' }, 'no number trailing'],
  [{ kind: 'timeWindow', list, from: 0, to: null, trailing: 0, ahead: 0, first: 1, head: {} }, 'no function list'],
  [{ kind: 'snapshot', subjects: [{ name: 'a', lists: [{ decode: list.decode }] }] }, 'no function request'],
  [{ kind: 'keyed', keys: [{ key: { id: '1' }, request: request() }] }, 'no function decode'],
])('the walk %j is refused before a request', (walk, what) => {
  expect(() => checked(walk)).toThrow(
    expect.objectContaining({ code: 'definition.walk', message: expect.stringContaining(what) }),
  )
})

test('an unknown walk of a pipeline is refused when its module is loaded', () => {
  expect(() => checkOwnPipeline({ ...mine, walks: ['pages' as 'snapshot'] })).toThrow('unknown walk: pages')
})

test('a mistake in a decoder is one of the pipeline, and an answer that it refuses one of the service', () => {
  const decoded = (decode: () => unknown) => {
    const [stream] = checked({ kind: 'pageChain', list: { request, decode }, trailing: 0 })
    return () => (stream!.walk as unknown as { list: { decode: () => unknown } }).list.decode()
  }
  expect(decoded(() => page)()).toEqual(page)
  expect(decoded(() => (undefined as any).items)).toThrow(expect.objectContaining({ code: 'definition.decoder' }))
  expect(decoded(() => [])).toThrow('A decoder of the pipeline mine returns no page')
  const refused = new DecodeError('The field a is no number.', { code: 'decode.field' })
  expect(
    decoded(() => {
      throw refused
    }),
  ).toThrow(refused)
})
