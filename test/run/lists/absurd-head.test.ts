import { expect, test } from 'vitest'
import type { RangeWalk } from '../../../src/define/index.ts'
import { items, newItemLake, rowsOf, runStream } from './item-lake.ts'
import { createListService, listOf } from './list-service.ts'

const heads = { blockWindow: 2 ** 53 - 1, heightRange: 2 ** 41, timeWindow: 9_000_000_000 }

test.each(Object.entries(heads))('a %s walk refuses the impossible head %i and covers nothing', async (kind, head) => {
  const lake = newItemLake()
  const service = createListService([{ id: 'a', time: 7 }], 10)
  const stream = (last: number) => ({
    stream: { network: 'test', path: kind, parameters: {} },
    tables: { items },
    walk: {
      kind: kind as RangeWalk['kind'],
      from: 0,
      to: null,
      head: { request: listOf().request(null), decode: () => last },
      ahead: 0,
      list: listOf,
      trailing: 0,
      first: 4,
    },
  })
  await expect(runStream(lake, stream(head), service.client)).rejects.toMatchObject({
    exitCode: 3,
    code: 'transport.head',
    message: expect.stringMatching(new RegExp(`impossible newest .*: ${head}\\.$`)),
  })
  expect(await rowsOf(lake, items)).toEqual([])
  await runStream(lake, stream(9), service.client)
  expect(await rowsOf(lake, items)).toHaveLength(1)
})
