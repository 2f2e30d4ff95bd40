import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { exportLake } from './export-lake.ts'
import { newLake, wholeLake } from './lake-run.ts'

test('two runs write the same rows in the same order, whatever the order of the answers', async () => {
  const node = await startDevnet({ seed: 5, blocks: 1_500, slowMs: 150 })
  try {
    const straight = newLake()
    await exportLake({ node, lake: straight, raw: true, unit: 300, concurrency: 1 })
    // In a unit, every third window of 100 containers is late, so that later windows arrive earlier.
    const shuffled = newLake()
    node.setFaults({ every: 3, kinds: ['slow'], pathPrefix: '/ext/index/' })
    await exportLake({ node, lake: shuffled, raw: true, unit: 300, concurrency: 8 })
    expect(node.requests().kinds['slow']).toBeGreaterThan(1)
    expect(await wholeLake(shuffled)).toEqual(await wholeLake(straight))

    // Shorter windows inside of units do not change the result either.
    const shortened = newLake()
    node.setFaults({ every: 2, kinds: ['short-range', 'slow'], pathPrefix: '/ext/index/' })
    await exportLake({ node, lake: shortened, raw: true, unit: 300, concurrency: 3 })
    expect(node.requests().kinds['short-range']).toBeGreaterThan(0)
    expect(await wholeLake(shortened)).toEqual(await wholeLake(straight))
  } finally {
    await node.close()
  }
})
