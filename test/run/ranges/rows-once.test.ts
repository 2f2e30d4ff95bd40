import { expect, test } from 'vitest'
import type { Range, StreamDeclaration } from '../../../src/define/index.ts'
import { items, newItemLake, rowsOf, runStream } from '../lists/item-lake.ts'
import { createListService } from '../lists/list-service.ts'

/** An index in the order of a node: the containers at coordinates 0, 1, 2, … . */
function index(order: readonly number[], unit = 4): StreamDeclaration<Range> {
  return {
    stream: { network: 'test', path: 'X/tx', parameters: {} },
    tables: { items },
    walk: {
      kind: 'range',
      record: 'container',
      what: "the node's index X/tx",
      endpoint: { url: null },
      from: 0,
      to: null,
      unit,
      order: 'node',
      outputs: [
        {
          tables: { items },
          read: ({ id }: { id: number }) => ({ items: [{ network: 'test', item_id: `tx-${id}`, item_time: id }] }),
        },
      ],
      context: null,
      linkOf: null,
      notice: null,
      source: async () => ({
        head: async () => order.length - 1,
        windowSize: () => 2,
        window: async (from: number, to: number) => order.slice(from, to).map((id, at) => ({ id, at: from + at })),
        at: ({ at }: { at: number }) => at,
      }),
    },
  }
}

const read = (lake: string, order: readonly number[], unit?: number) =>
  runStream(lake, index(order, unit), createListService([], 1).client)

test('a container at two places of an index is refused: in one unit, and where the lake has it', async () => {
  const other = { code: 'catalog.other-source', message: expect.stringContaining('at another place before') }
  await expect(read(newItemLake(), [0, 1, 2, 1])).rejects.toMatchObject(other)
  const lake = newItemLake()
  await read(lake, [0, 1, 2, 3])
  await expect(read(lake, [0, 1, 2, 3, 4, 2])).rejects.toMatchObject(other)
  await read(lake, [0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(await rowsOf(lake, items)).toHaveLength(9)
})
