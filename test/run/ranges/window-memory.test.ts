import { expect, test } from 'vitest'
import { createTransport } from '../../../src/fetch/transport.ts'
import type { PlannedSlice } from '../../../src/run/ranges/plan-slices.ts'
import { orderedWindows } from '../../../src/run/ranges/read-slices.ts'
import { createIndexApi } from '../../../src/sources/node-index.ts'
import { quick } from '../../fetch/local-server.ts'
import { startIndexNode, written } from '../../sources/index-node.ts'

test('a walk over many windows uses memory only for those in progress, and never mixes up their bytes', async () => {
  const bytesOf = (index: number) => Buffer.alloc(3000, index % 251)
  const node = await startIndexNode(Array.from({ length: 1000 }, (_, index) => written(index, bytesOf(index))))
  const transport = createTransport({ baseUrl: node.url, ...quick })
  try {
    const ahead = 3
    const source = createIndexApi(transport, 'X/tx')
    const slabs = new Set<ArrayBufferLike>()
    let windows = 0
    let next = 0
    const options = { ahead, stop: new AbortController().signal }
    // Windows of 40 containers. The maximum window of the node is not tested here.
    const short = { ...source, windowSize: () => 40 }
    const reading = { source: short, read: { from: 0, to: 1000 } } as unknown as PlannedSlice
    for await (const { records } of orderedWindows([reading], options)) {
      windows++
      for (const { index, bytes } of records) {
        expect(index).toBe(next++)
        expect(Buffer.compare(bytes, bytesOf(index))).toBe(0)
        slabs.add(bytes.buffer)
      }
    }
    expect({ windows, next }).toEqual({ windows: 25, next: 1000 })
    expect(slabs.size).toBeLessThanOrEqual(ahead + 1)
  } finally {
    await transport.close()
    await node.close()
  }
})
