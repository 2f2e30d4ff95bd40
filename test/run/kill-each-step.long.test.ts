import PQueue from 'p-queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../src/devnet/serve.ts'
import { stepNames } from '../../src/lib/step.ts'
import { exportLake } from './export-lake.ts'
import { command, newLake, wholeLake } from './lake-run.ts'

const unit = 80
const blocks = 2 * unit

const stepsOf = (...prefixes: string[]) =>
  stepNames.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
const eachTime = (names: readonly string[], times: readonly number[]) =>
  names.flatMap((name) => times.map((time) => `${name}#${time}`))

/** One window and one commit for each unit, one earlier commit for the table `chains`, and many files. */
const points = [
  ...eachTime(stepsOf('fetch.'), [1, 2]),
  ...eachTime(stepsOf('write.'), [1, 12]),
  ...eachTime(stepsOf('commit.'), [1, 3]),
  ...stepsOf('run.', 'publish.'),
]
const publishing = stepsOf('publish.')
/** A run reaches these steps only if it has something to recover. */
const recovering = stepsOf('recovery.')

/** Two processes at a time, regardless of the concurrency of the test runner. */
const queue = new PQueue({ concurrency: 2 })

describe('a run that is killed at a named step and started again', () => {
  let node: Devnet
  let quiet: Awaited<ReturnType<typeof wholeLake>>
  const goOn = (lake: string, to = blocks) => exportLake({ node, lake, unit, raw: true, to })

  beforeAll(async () => {
    node = await startDevnet({ seed: 7, blocks })
    const lake = newLake()
    await goOn(lake)
    quiet = await wholeLake(lake)
    expect(quiet.stray).toEqual([])
    expect(quiet.leftovers).toEqual([])
  })
  afterAll(() => node.close())

  const dieAt = async (lake: string, point: string): Promise<void> => {
    const args = ['--node-url', node.url, '--lake', lake, '--unit', String(unit), '--raw']
    const { signal, code, stderr } = await command(['run', 'p-blocks', ...args], { CHAINLAKE_DIE_AT: point })
    expect({ signal, code }, stderr).toEqual({ signal: 'SIGKILL', code: null })
  }

  test('is tested at more than 40 steps', () => {
    expect(points.length + publishing.length + recovering.length).toBeGreaterThan(40)
  })

  test.concurrent.each(points)('at %s leaves the lake of an undisturbed run', (point) =>
    queue.add(async () => {
      const lake = newLake()
      await dieAt(lake, point)
      await goOn(lake)
      expect(await wholeLake(lake)).toEqual(quiet)
    }),
  )

  test.concurrent.each(publishing)('at %s leaves the same lake if views and a catalog copy exist', (point) =>
    queue.add(async () => {
      const lake = newLake()
      await goOn(lake, unit)
      await dieAt(lake, point)
      await goOn(lake)
      expect(await wholeLake(lake)).toEqual(quiet)
    }),
  )

  test.concurrent.each(recovering)('at %s leaves the same lake if it was recovering a killed run', (point) =>
    queue.add(async () => {
      const lake = newLake()
      await dieAt(lake, 'commit.after-coverage#2')
      await dieAt(lake, point)
      await goOn(lake)
      expect(await wholeLake(lake)).toEqual(quiet)
    }),
  )
})
