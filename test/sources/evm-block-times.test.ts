import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTransport, type Transport } from '../../src/fetch/transport.ts'
import { findTime } from '../../src/run/ranges/plan-slices.ts'
import { createEvmCalls, evmBlockTimes } from '../../src/sources/evm-answers.ts'
import { type EvmNode, type NodeBlock, type Said, startEvmNode } from './evm-node.ts'

/** Blocks 0 to 99: one every ten seconds, to the millisecond from block 90 on. Blocks below 30 are missing, each in another way. */
const chain = Array.from({ length: 100 }, (_, number) => ({
  block: {
    number: `0x${number.toString(16)}`,
    timestamp: `0x${(1_000 + number * 10).toString(16)}`,
    ...(number < 90 ? {} : { timestampMilliseconds: `0x${((1_000 + number * 10) * 1000 + 250).toString(16)}` }),
    transactions: [],
  },
  receipts: [],
})) as unknown as NodeBlock[]

const pruned: readonly Said[] = [
  { result: null },
  { error: { code: -32000, message: 'header not found' } },
  { error: { code: 4444, message: 'pruned history unavailable' } },
]

let node: EvmNode
let transport: Transport
beforeAll(async () => {
  node = await startEvmNode(chain, {
    interfere: ({ method, params: [number] }) =>
      method === 'eth_getBlockByNumber' && Number(number) < 30 ? pruned[Number(number) % 3] : undefined,
  })
  transport = createTransport({ baseUrl: node.url, tries: 1 })
})
afterAll(async () => {
  await transport.close()
  await node.close()
})

const times = (from: number, to: number) => evmBlockTimes(createEvmCalls(transport, '/rpc'))(from, to)

test('times are in microseconds, and blocks that the node has pruned are missing', async () => {
  expect(await times(88, 92)).toEqual([1_880_000_000n, 1_890_000_000n, 1_900_250_000n, 1_910_250_000n])
  expect(await times(27, 32)).toEqual(['missing', 'missing', 'missing', 1_300_000_000n, 1_310_000_000n])
})

test('a time before the blocks that a pruned node has is its first block', async () => {
  const find = (seconds: number) =>
    findTime({ times, begins: 0, head: 99, ns: BigInt(seconds) * 1_000_000_000n, waitMs: 1 })
  expect(await find(1_000)).toMatchObject({ at: 30, isFirst: true, before: null })
  expect(await find(1_505)).toMatchObject({ at: 51, isFirst: false, before: { at: 50 } })
  expect(await find(1_910)).toMatchObject({ at: 91 })
  expect(await find(5_000)).toBeNull()
})

test('an answer without a timestamp is an error', async () => {
  const other = await startEvmNode([{ block: { number: '0x0', transactions: [] }, receipts: [] }] as never)
  const connection = createTransport({ baseUrl: other.url, tries: 1 })
  try {
    await expect(evmBlockTimes(createEvmCalls(connection, '/rpc'))(0, 1)).rejects.toThrow(
      'Block 0 of the node has no timestamp.',
    )
  } finally {
    await connection.close()
    await other.close()
  }
})
