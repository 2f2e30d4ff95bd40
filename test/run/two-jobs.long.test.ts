import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../devnet/network/random.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { lakeState } from '../catalog/lake-state.ts'
import { exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { ended, newLake, rowSets, startCommand } from './lake-run.ts'

const blocks = 300
const unit = 60
const killsEach = 3
const jobs = [pBlocksPipeline, xBlocksPipeline].map((pipeline) => jobOf(pipeline, { unit }))

describe('two concurrent jobs on one lake', () => {
  let node: Devnet
  beforeAll(async () => {
    node = await startDevnet({ seed: 8, blocks })
  })
  afterAll(async () => {
    await node.close()
  })

  test('lose no rows, even if both are killed at any moment', async () => {
    const quiet = newLake()
    for (const job of jobs) await exportLake({ node, lake: quiet, jobs: [job] })

    const lake = newLake()
    const random = createRandom(1)
    /** Starts the job again until it succeeds. The first runs are killed soon after their first output. */
    const persist = async (pipeline: string): Promise<number> => {
      for (let kills = 0; ; kills++) {
        const args = ['--node-url', node.url, '--lake', lake, '--unit', String(unit)]
        const child = startCommand(['run', pipeline, ...args])
        const end = ended(child)
        if (kills < killsEach)
          child.stderr?.once('data', () => setTimeout(() => child.kill('SIGKILL'), random.below(900)))
        const { code, signal, stderr } = await end
        if (code === 0) return kills
        expect(signal, stderr).toBe('SIGKILL')
      }
    }
    const kills = await Promise.all(jobs.map(({ pipeline }) => persist(pipeline.name)))
    expect(Math.min(...kills)).toBeGreaterThan(0)
    // The next run of any job removes the files that the last kill left.
    for (const job of jobs) await exportLake({ node, lake, jobs: [job] })
    // The order of files across the jobs depends on the order of the commits.
    expect(await unordered(lake)).toEqual(await unordered(quiet))
    expect(await rowSets(lake)).toEqual(await rowSets(quiet))
  })
})

async function unordered(lake: string) {
  const { files, ...rest } = await lakeState(lake)
  return { ...rest, files: files.map((file) => JSON.stringify(file)).sort() }
}
