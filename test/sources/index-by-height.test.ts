import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pContainerHeight, pContainerParent } from '../../codec/p.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { createTransport, type Transport } from '../../src/fetch/transport.ts'
import type { Container } from '../../src/model.ts'
import { type createIndexApi, createIndexByHeight, createIndexRange } from '../../src/sources/node-index.ts'

type IndexApi = ReturnType<typeof createIndexApi>

/** An index of blocks with these heights; the bytes of each block are its height. */
function indexOf(heights: number[], requested: string[] = []) {
  const container = (index: number): Container => ({
    index,
    id: `block ${heights[index]}`,
    acceptedAtNs: 0n,
    bytes: Uint8Array.of(heights[index]!),
  })
  const api: IndexApi = {
    async lastAccepted() {
      requested.push('head')
      return heights.length === 0 ? null : container(heights.length - 1)
    },
    async container(index) {
      requested.push(`one ${index}`)
      return container(index)
    },
    async window(from, to) {
      requested.push(`${from} to ${to}`)
      return Array.from({ length: to - from }, (_, at) => container(from + at))
    },
    release: () => undefined,
    windowSize: () => 4,
  }
  return createIndexByHeight(api, { path: 'P/block', heightOf: ([height]) => BigInt(height!) })
}

const heightsOf = (containers: readonly Container[]) => containers.map(({ bytes }) => bytes[0])
const from = (height: number, count: number) => Array.from({ length: count }, (_, at) => height + at)

describe('an index by height', () => {
  test('returns the containers of a complete index without extra requests', async () => {
    const requested: string[] = []
    const index = indexOf(from(1, 9), requested)
    expect(heightsOf(await index.window(3, 6))).toEqual([3, 4, 5])
    expect(index.first()).toBe(1)
    expect(requested).toEqual(['2 to 5'])
  })

  test('finds its first height from the head with one more request', async () => {
    const requested: string[] = []
    const index = indexOf(from(108, 13), requested)
    expect(await index.lastAccepted()).toMatchObject({ index: 119 })
    expect(index.first()).toBe(108)
    const [container] = await index.window(108, 109)
    expect(container).toMatchObject({ index: 107, id: 'block 108' })
    expect(requested).toEqual(['head', '0 to 1'])
  })

  test('finds its first height from the first window when the head was not requested', async () => {
    const requested: string[] = []
    const index = indexOf(from(5, 30), requested)
    expect(heightsOf(await index.window(11, 13))).toEqual([11, 12])
    expect(heightsOf(await index.window(13, 15))).toEqual([13, 14])
    expect(requested).toEqual(['10 to 12', 'head', '6 to 8', '8 to 10'])
  })

  test('refuses a height below its first one', async () => {
    const index = indexOf(from(108, 13))
    await index.lastAccepted()
    await expect(index.container(107)).rejects.toMatchObject({ code: 'index.incomplete', retryable: false })
  })

  test('refuses only the missing heights when blocks are missing in between', async () => {
    const index = indexOf([1, 2, 3, 7, 8, 9])
    await expect(index.window(1, 5)).rejects.toMatchObject({ code: 'index.incomplete' })
    expect(heightsOf(await index.window(7, 10))).toEqual([7, 8, 9])
  })
})

describe('an index range without a request for its head', () => {
  let node: Devnet
  let transport: Transport
  beforeAll(async () => {
    node = await startDevnet({ seed: 5, blocks: 60, indexFrom: 41 })
    transport = createTransport({ baseUrl: node.url })
  })
  afterAll(async () => {
    await transport.close()
    await node.close()
  })
  const open = () =>
    createIndexRange(transport, {
      path: 'P/block',
      parentOf: pContainerParent,
      heightOf: pContainerHeight,
      underWay: 1,
    })

  test('reads single records and windows, also beyond the number of its containers', async () => {
    for (const read of [(at: number) => open().one!(at), async (at: number) => (await open().window(at, at + 1))[0]!]) {
      const container = await read(46)
      expect(container.index).toBe(45)
      expect(pContainerHeight(container.bytes)).toBe(46n)
    }
  })
})
