import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/devnet/network/random.ts'
import { type Devnet, startDevnet } from '../../../src/devnet/serve.ts'
import { lakeState } from '../../catalog/lake-state.ts'
import { type Door, openDoor } from '../../run/door.ts'
import { exportLake } from '../../run/export-lake.ts'
import { ended, newLake, rowSets, startCommand } from '../../run/lake-run.ts'

const blocks = 300
const unit = 60
const killsEach = 3

describe('two jobs on one lake at the same time', () => {
  let node: Devnet
  let other: Door
  beforeAll(async () => {
    node = await startDevnet({ seed: 8, blocks })
    // The same blocks as those of another network.
    other = await openDoor(node, ({ method }) =>
      method === 'info.getNetworkID' ? { result: { networkID: '4242' } } : null,
    )
  })
  afterAll(async () => {
    await other.close()
    await node.close()
  })

  test('with kills at any moment lose nothing of each other', async () => {
    const quiet = newLake()
    for (const each of [node, other]) await exportLake({ node: each, lake: quiet, unit })

    const lake = newLake()
    const random = createRandom(1)
    /** Starts the job again until it has come to its end; the first times it is killed soon after its first word. */
    const persist = async (url: string): Promise<number> => {
      for (let kills = 0; ; kills++) {
        const args = ['--node-url', url, '--lake', lake, '--unit', String(unit)]
        const child = startCommand(['run', 'p-blocks', ...args])
        const end = ended(child)
        if (kills < killsEach)
          child.stderr?.once('data', () => setTimeout(() => child.kill('SIGKILL'), random.below(900)))
        const { code, signal, stderr } = await end
        if (code === 0) return kills
        expect(signal, stderr).toBe('SIGKILL')
      }
    }
    const kills = await Promise.all([persist(node.url), persist(other.url)])
    expect(Math.min(...kills)).toBeGreaterThan(0)
    // What the last kill left, the next run of any job removes.
    for (const each of [node, other]) await exportLake({ node: each, lake, unit })
    expect(await lakeState(lake)).toEqual(await lakeState(quiet))
    // Between the networks the order of rows is that of the commits.
    expect(await rowSets(lake)).toEqual(await rowSets(quiet))
  })
})
