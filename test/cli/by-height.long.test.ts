import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { chainlake } from './in-process.ts'

let folder = ''
let devnet: Devnet
let other: Devnet
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-heights-'))
  devnet = await startDevnet({ blocks: 60 })
  other = await startDevnet({ blocks: 60, seed: 7 })
})
afterAll(async () => {
  await Promise.all([devnet.close(), other.close()])
  rmSync(folder, { recursive: true, force: true })
})

const lake = () => ['--lake', join(folder, 'lake')]

/** The output of a command on blocks by height, which must not contain the terms index and container. */
async function said(args: readonly string[], { url }: Devnet = devnet): Promise<string> {
  const { stdout, stderr } = await chainlake([...args, '--source', 'rpc', '--node-url', url, ...lake()])
  expect(`${stdout}${stderr}`).not.toMatch(/\bindex|\bcontainer/i)
  return `${stdout}\n${stderr}`
}

test('plans, runs, errors and gaps name blocks by their heights', async () => {
  expect(await said(['plan', 'p-blocks'])).toMatch(/^p-blocks +60 +1 +60 +60 /m)
  expect(await said(['doctor', 'p-blocks'])).toContain(
    'the head is 60, and 60 blocks are missing in the lake. The first missing one, at 1, can be read.',
  )
  const part = await said(['run', 'p-blocks', '--from', '21', '--to', '41'])
  expect(part).toContain('"record":"block","records":20,"head":60,"msg":"planned"')
  expect(part).toContain('"slice":{"from":21,"to":41}')
  expect(part).toMatch(/^p-blocks \(local, P\/block\): 20 blocks in .*head 60$/m)
  await said(['run', 'p-blocks', '--from', '46', '--to', '51'])
  const gaps = await chainlake(['gaps', ...lake()])
  expect(gaps.stdout).toMatch(/^local\/P\/block +p_blocks +41 +46 +5 heights$/m)
  expect(await said(['run', 'p-blocks'], other)).toMatch(/"?block number"?: 21\b/)
  await said(['run', 'p-blocks'])
  expect(await said(['run', 'p-blocks'])).toContain('p-blocks (local, P/block): up to date at block 60: nothing new.')
})
