import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { containerId, unwrap, wrap } from '../../../codec/containers.ts'
import { decodeExactly, encode } from '../../../codec/linear.ts'
import { pBlock, pContainerParent } from '../../../codec/p.ts'
import { pBlockJson } from '../../../devnet/node/json.ts'
import { recordedBlocks, recordedContainers } from '../../recorded.ts'

const hrps = { granite: 'local', helicon: 'custom' } as const

describe('recorded P blocks', () => {
  test.each(['granite', 'helicon'] as const)('%s: every block has the same JSON as on the node', (recording) => {
    const containers = recordedContainers(`${recording}/p-containers`)
    const blocks = recordedBlocks(recording, 'P')
    expect(blocks.length).toBe(containers.length)
    containers.forEach((container, index) => {
      const expected = blocks[index]
      const found = pBlockJson(unwrap(container.bytes).block, hrps[recording])
      if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected)
    })
  })

  test.each(['granite', 'helicon'] as const)('%s: each container gives its id, parent and bytes', (recording) => {
    let parent: string | null = null
    for (const { bytes, id } of recordedContainers(`${recording}/p-containers`)) {
      expect(containerId(bytes)).toBe(id)
      if (parent !== null) expect(pContainerParent(bytes)).toBe(parent)
      parent = id
      const wrapper = unwrap(bytes)
      expect(wrapper.type).not.toBe('none')
      const block = encode(pBlock, decodeExactly(pBlock, wrapper.block, 'block'))
      expect(Buffer.compare(wrap({ ...wrapper, block }), bytes)).toBe(0)
    }
  })
})
