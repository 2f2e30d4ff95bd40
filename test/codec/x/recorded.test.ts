import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { containerId, plainContainerId, unwrap, wrap } from '../../../codec/containers.ts'
import { decodeExactly, encode } from '../../../codec/linear.ts'
import { signedXTx, xBlock, xVertex } from '../../../codec/x.ts'
import { txJson, xBlockJson } from '../../../devnet/node/json.ts'
import { parseNodeJson, recordedBlocks, recordedContainers, recordedLines } from '../../recorded.ts'

const hrps = { granite: 'local', helicon: 'custom' } as const

describe('recorded X blocks', () => {
  test.each(['granite', 'helicon'] as const)('%s: every block has the same JSON as on the node', (recording) => {
    const containers = recordedContainers(`${recording}/x-containers`)
    const blocks = recordedBlocks(recording, 'X')
    expect(blocks.length).toBe(containers.length)
    containers.forEach((container, index) => {
      const expected = blocks[index]
      const found = xBlockJson(unwrap(container.bytes).block, hrps[recording])
      if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected)
    })
  })

  test.each(['granite', 'helicon'] as const)('%s: each container gives its id and the same bytes', (recording) => {
    for (const { bytes, id } of recordedContainers(`${recording}/x-containers`)) {
      expect(containerId(bytes)).toBe(id)
      const wrapper = unwrap(bytes)
      const block = encode(xBlock, decodeExactly(xBlock, wrapper.block, 'block'))
      expect(Buffer.compare(wrap({ ...wrapper, block }), bytes)).toBe(0)
    }
  })
})

describe('recorded legacy X indexes', () => {
  test('have transactions with the same JSON as the JSON of the node', () => {
    const containers = recordedContainers('legacy/x-transactions')
    const answers = recordedLines('legacy/x-transactions-json')
    expect(answers.length).toBe(containers.length)
    containers.forEach(({ bytes, id }, index) => {
      expect(plainContainerId(bytes)).toBe(id)
      const tx = decodeExactly(signedXTx, bytes, 'transaction')
      expect(Buffer.compare(encode(signedXTx, tx), bytes)).toBe(0)
      expect(txJson(tx, { chain: 'X', hrp: 'local' })).toEqual(parseNodeJson(answers[index]!).result.tx)
    })
  })

  test('have vertices that contain all transactions of the index and are encoded to the same bytes', () => {
    const known = new Set(recordedContainers('legacy/x-transactions').map(({ id }) => id))
    const vertices = recordedContainers('legacy/x-vertices')
    expect(vertices.length).toBe(97)
    const found = vertices.flatMap(({ bytes, id }) => {
      expect(plainContainerId(bytes)).toBe(id)
      const vertex = decodeExactly(xVertex, bytes, 'vertex')
      expect(Buffer.compare(encode(xVertex, vertex), bytes)).toBe(0)
      return vertex.type === 'Vertex' ? vertex.txs.map(plainContainerId) : []
    })
    expect(new Set(found)).toEqual(known)
  })
})
