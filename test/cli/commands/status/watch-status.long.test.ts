import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../../src/devnet/serve.ts'
import { newLake } from '../../../run/lake-run.ts'
import { chainlake } from '../../in-process.ts'
import { startChainlake } from '../../spawn.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 14, blocks: 60 })
})
afterAll(() => node.close())

const run = (lake: string, to: number) =>
  chainlake(['run', 'p-blocks', '--to', String(to), '--node-url', node.url, '--lake', lake, '--log-level', 'silent'])

test('status --watch prints a line for each snapshot that it sees, and ends with 0 after SIGINT', async () => {
  const lake = newLake()
  expect((await run(lake, 20)).code).toBe(0)
  const watching = startChainlake(['status', '--watch', '--lake', lake])
  const lines = createInterface({ input: watching.stdout! })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}Z snapshot \d+: [\d,]+ rows in \d+ tables, /)
  expect((await run(lake, 40)).code).toBe(0)
  const { value } = await lines.next()
  expect(value).toContain('snapshot ')
  watching.kill('SIGINT')
  expect(await once(watching, 'exit')).toEqual([0, null])
})

test('status --watch prints no JSON', async () => {
  const { code, stderr } = await chainlake(['status', '--watch', '--json', '--lake', newLake()])
  expect(code).toBe(2)
  expect(stderr).toContain('--watch prints no JSON.')
})
