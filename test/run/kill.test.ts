import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../src/devnet/serve.ts'
import { stepNames } from '../../src/lib/step.ts'
import { command, contents, newLake, strayFiles } from './lake-run.ts'

const blocks = 2_000
const unit = '500'

/** Steps that only a recovery with something to recover comes to. */
const recoverySteps = stepNames.filter((name) => name.startsWith('recovery.'))
const killPoints = stepNames
  .filter((name) => !recoverySteps.includes(name))
  .flatMap((name) => [`${name}#1`, `${name}#2`])

describe('a run that is killed at a named step and started again', () => {
  let node: Awaited<ReturnType<typeof startDevnet>>
  let quiet: Record<string, string>
  let kills = 0

  const run = (lake: string, environment: Record<string, string> = {}) =>
    command(['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--unit', unit, '--raw'], environment)

  beforeAll(async () => {
    node = await startDevnet({ port: 0, seed: 7, blocks })
    const lake = newLake()
    const { code, stderr } = await run(lake)
    expect(stderr.includes('error') ? stderr : '').toBe('')
    expect(code).toBe(0)
    quiet = await contents(lake)
  }, 300_000)

  afterAll(async () => {
    await node.close()
    expect(kills).toBeGreaterThanOrEqual(40)
  })

  test.each(killPoints)('dies at %s', async (point) => {
    const lake = newLake()
    const first = await run(lake, { CHAINLAKE_DIE_AT: point })
    if (first.signal === 'SIGKILL') kills++
    const second = await run(lake)
    expect(second.code, second.stderr).toBe(0)
    expect(await contents(lake)).toEqual(quiet)
    expect(await strayFiles(lake)).toEqual([])
  })

  test.each(recoverySteps)('dies at %s', async (point) => {
    const lake = newLake()
    expect((await run(lake, { CHAINLAKE_DIE_AT: 'commit.before-begin#2' })).signal).toBe('SIGKILL')
    expect((await run(lake, { CHAINLAKE_DIE_AT: point })).signal).toBe('SIGKILL')
    kills++
    const last = await run(lake)
    expect(last.code, last.stderr).toBe(0)
    expect(await contents(lake)).toEqual(quiet)
    expect(await strayFiles(lake)).toEqual([])
  })
})
