import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { newLake } from '../../run/lake-run.ts'
import { chainlake } from '../in-process.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 12, blocks: 30 })
})
afterAll(() => node.close())

test('what jobs do not ask for is no gap; a gap between can be accepted, which a backup keeps, and revoked', async () => {
  const lake = newLake()
  const run = async (...args: string[]) =>
    expect(
      await chainlake(['run', 'p-blocks', ...args, '--node-url', node.url, '--lake', lake, '--log-level', 'error']),
    ).toMatchObject({ code: 0 })
  const gaps = (...args: string[]) => chainlake(['gaps', '--check', '--lake', lake, ...args])

  await run('--from', '20')
  expect(await gaps()).toMatchObject({ code: 0, stdout: 'No gaps.\n' })
  expect((await chainlake(['status', '--lake', lake])).stdout).toContain('No problems.')

  // Once with another table, which later runs do not fill.
  await run('--from', '22', '--credentials')
  await node.grow(3)
  await run('--from', '20')
  expect(await gaps()).toMatchObject({ code: 0, stdout: 'No gaps.\n' })

  await run('--from', '10', '--to', '15')
  const open = await gaps('--json')
  expect(open.code).toBe(9)
  const missing = { stream: 'local/P/block', unit: 'heights', from: 15, to: 20 }
  const all = JSON.parse(open.stdout) as { table: string }[]
  expect(all).toContainEqual({ ...missing, table: 'p_blocks' })
  expect(all.map(({ table }) => table)).not.toContain('p_credentials')

  expect((await gaps('--accept', '--stream', 'local/P/block', '--table', 'p_blocks')).code).toBe(0)
  expect((await gaps()).code).toBe(9)
  const accepted = await gaps('--accept')
  expect(accepted).toMatchObject({ code: 0 })
  expect(accepted.stdout).toMatch(/^No gaps\.\n\nAccepted gaps:\n(.*\n)+local\/P\/block +p_blocks +15 +20 /)

  const backup = join(newLake(), 'backup')
  expect(await chainlake(['backup', backup, '--lake', lake])).toMatchObject({ code: 0 })
  expect((await gaps('--revoke', '--table', 'p_blocks')).code).toBe(9)
  expect(await chainlake(['restore', backup, '--lake', lake])).toMatchObject({ code: 0 })
  expect(await gaps()).toMatchObject({ code: 0 })
  const revoked = await gaps('--revoke', '--json')
  expect(revoked.code).toBe(9)
  expect(JSON.parse(revoked.stdout)).toContainEqual({ ...missing, table: 'p_blocks' })
})
