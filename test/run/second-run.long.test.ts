import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { pause } from '../../src/lib/wait.ts'
import { exportLake } from './export-lake.ts'
import { command, contents, ended, logged, newLake, startCommand, wholeLake } from './lake-run.ts'

const blocks = 400
const unit = 100

describe('a stream with an active run', () => {
  let node: Devnet
  let quiet: Awaited<ReturnType<typeof wholeLake>>
  const on = (lake: string) => ['--node-url', node.url, '--lake', lake, '--unit', String(unit)]

  beforeAll(async () => {
    node = await startDevnet({ seed: 4, blocks, slowMs: 2_000 })
    const lake = newLake()
    await exportLake({ node, lake, unit })
    quiet = await wholeLake(lake)
  })
  afterAll(() => node.close())

  test('refuses a second run and names the process of the first; after a kill of the first, a run starts at once', async () => {
    const lake = newLake()
    const first = startCommand([
      'run',
      'p-blocks',
      ...on(lake),
      '--to',
      String(blocks + 2),
      '--follow',
      '--max-lag',
      '30s',
    ])
    const end = ended(first)
    await logged(first, '"published"')
    const before = await contents(lake)

    const second = await command(['run', 'p-blocks', ...on(lake)])
    expect(second.code).toBe(8)
    expect(second.stderr).toMatch(/^error: Another run exports local\/P\/block into this lake\.$/m)
    expect(second.stderr).toContain(`pid: ${first.pid}`)
    expect(second.stderr).toMatch(/^hint: .*or end process/m)
    expect(await contents(lake)).toEqual(before)

    first.kill('SIGKILL')
    expect((await end).signal).toBe('SIGKILL')
    const startedMs = performance.now()
    await exportLake({ node, lake, unit })
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    expect(await wholeLake(lake)).toEqual(quiet)
  })

  test('accepts no commit from a suspended run that was considered dead and wakes up', async () => {
    const lake = newLake()
    // The fourth answer of the index, which is the third window, is late. The second unit is in progress by then.
    node.setFaults({ every: 4, kinds: ['slow'], pathPrefix: '/ext/index/' })
    const zombie = startCommand(['run', 'p-blocks', ...on(lake), '--concurrency', '1'])
    const end = ended(zombie)
    await logged(zombie, '"committed"')
    while (node.requests().kinds['slow'] === undefined) await pause(10)
    zombie.kill('SIGSTOP')
    node.setFaults(null)
    // A sleeping process holds its lock. Without the lock, other runs cannot distinguish it from a dead one.
    for (const name of readdirSync(join(lake, 'locks'))) rmSync(join(lake, 'locks', name))
    await exportLake({ node, lake, unit })
    expect(await contents(lake)).toEqual(quiet.rows)

    zombie.kill('SIGCONT')
    const { code, stderr } = await end
    expect(code, stderr).toBe(5)
    expect(stderr).toMatch(/^error: The run cannot commit because it is not registered as running\.$/m)
    expect(await contents(lake)).toEqual(quiet.rows)
    // The files that it still wrote belong to no commit; the next run removes them.
    await exportLake({ node, lake, unit })
    expect(await wholeLake(lake)).toEqual(quiet)
  })
})
