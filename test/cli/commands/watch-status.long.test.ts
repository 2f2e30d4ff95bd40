import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { pause } from '../../../src/lib/wait.ts'
import { command, ended, newLake, startCommand } from '../../run/lake-run.ts'
import { chainlake } from '../in-process.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 15, blocks: 20 })
})
afterAll(() => node.close())

/** Waits until the output of a command has a text. */
async function until(said: () => string, text: string): Promise<void> {
  for (let tries = 0; !said().includes(text); tries++) {
    if (tries > 1_500) throw new Error(`the command did not print ${text}: ${said()}`)
    await pause(20)
  }
}

test('status --watch prints what another process commits, outlasts a held catalog, and ends with 0 at a signal', async () => {
  const lake = newLake()
  const run = async (name: string) =>
    expect((await command(['run', name, '--node-url', node.url, '--lake', lake, '--log-level', 'error'])).code).toBe(0)
  await run('p-blocks')
  const child = startCommand(['status', '--watch', '--lake', lake])
  let stdout = ''
  child.stdout?.on('data', (text: Buffer) => {
    stdout += text.toString()
  })
  const end = ended(child)
  await until(() => stdout, 'local/P/block: ')
  expect(stdout).not.toContain('local/X/block')

  const catalog = await openCatalog({ folder: lake }, tables)
  await catalog.exclusively(() => until(() => stdout, 'Another process holds the catalog lock. Trying again.'))
  await run('x-blocks')
  await until(() => stdout, 'local/X/block: ')
  child.kill('SIGINT')
  expect(await end).toMatchObject({ code: 0, stderr: '' })
  // The stream of P blocks did not change.
  expect(stdout.match(/local\/P\/block: /g)).toHaveLength(1)
  expect(stdout).toContain('; heights 1 to 21, +')
})

test.each([
  [['--watch', '--json'], '--json cannot be combined with --watch'],
  [['--watch', '--max-age', '1m'], '--max-age cannot be combined with --watch'],
  [['--watch', '--interval', '2s'], '--interval must be at least 5s'],
  [['--interval', '10s'], '--interval needs --watch'],
  [['--watch'], 'The lake does not exist'],
])('status %j is refused', async (flags, said) => {
  const refused = await chainlake(['status', ...flags, '--lake', join(newLake(), 'nowhere')])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(said) })
})
