import { expect, test } from 'vitest'
import type { ChainAnchor } from '../../src/catalog/catalog.ts'
import { createLake, newLakeDir, tables } from './lake.ts'

const block = (number: number, network = 'local'): ChainAnchor => ({
  network,
  chainId: '7',
  number,
  hash: `0x${String(number).padStart(64, '0')}`,
})

test('the catalog keeps the two lowest blocks and the highest one of each chain, unless another run was first', async () => {
  const catalog = await createLake({ folder: newLakeDir() }, tables)
  expect(await catalog.anchors()).toEqual([])
  expect(await catalog.recordAnchors([], [block(20), block(30)])).toBe(true)
  expect(await catalog.recordAnchors([], [block(40)])).toBe(false)
  expect(await catalog.anchors()).toEqual([block(20), block(30)])
  expect(await catalog.recordAnchors(await catalog.anchors(), [block(0), block(99)])).toBe(true)
  expect(await catalog.recordAnchors(await catalog.anchors(), [block(50), { ...block(0), hash: '0x' }])).toBe(true)
  expect(await catalog.anchors()).toEqual([block(0), block(20), block(99)])
  const other = { ...block(1), chainId: '8' }
  expect(await catalog.recordAnchors([], [other])).toBe(true)
  expect(await catalog.recordAnchors(await catalog.anchors(), [block(5, 'evm-7')])).toBe(true)
  expect(await catalog.anchors()).toEqual([block(5, 'evm-7'), block(0), block(20), block(99), other])
})
