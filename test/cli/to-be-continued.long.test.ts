import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { newLake } from '../run/lake-run.ts'
import { chainlake } from './in-process.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks: 60 })
  node.setFaults({ every: 3, kinds: ['rate-limit-day'], pathPrefix: '/v1/' })
})
afterAll(() => node.close())

/** Two lists and a chain: the lists need the same service. */
function jobsFile(lake: string, more = ''): string {
  const list = (blockchain: string) =>
    `{ pipeline: rest-transactions, network: local, blockchain: ${blockchain}, page-size: 5 }`
  const file = join(lake, '..', 'jobs.yaml')
  writeFileSync(
    file,
    `node-url: ${node.url}
lake: ${lake}
service: { profile: devnet, data-url: '${node.url}' }
jobs:
  p-list: ${list('p-chain')}
  x-list: ${list('x-chain')}
  blocks: { pipeline: p-blocks }
${more}`,
  )
  return file
}

test('a postponed run ends with exit code 7 and prints its commits and when to resume', async () => {
  const args = ['run', '--all', '--config', jobsFile(newLake()), '--log-level', 'error']
  const { code, stdout, stderr } = await chainlake(args)
  expect(stderr).toBe('')
  expect(code).toBe(7)
  expect(stdout).toMatch(/^p-list \(rest-transactions\): 10 rows from 2 pages/m)
  expect(stdout).toMatch(/^blocks: p-blocks \(local, P\/block\): 60 blocks/m)
  const [last = ''] = stdout.trim().split('\n').slice(-1)
  expect(last).toMatch(
    /^Resume after 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC \(p-list.*\): http:\S+ accepts no requests for .* \(Retry-After\)\. Run again after that time/,
  )
})

test('JSON output has the time to resume, and a failure overrides exit code 7', async () => {
  const lake = newLake()
  const args = ['run', 'p-list', 'blocks', '--config', jobsFile(lake), '--json', '--log-level', 'error']
  const continued = await chainlake(args)
  expect(continued.code).toBe(7)
  const report = JSON.parse(continued.stdout)
  expect(Date.parse(report.resumeAt) - Date.now()).toBeGreaterThan(86_000_000)
  expect(report).toMatchObject({
    stopped: false,
    reason: expect.stringContaining('accepts no requests for'),
    jobs: [
      { name: 'p-list', postponed: { resumeAt: report.resumeAt, reason: report.reason, hint: expect.any(String) } },
      { pipeline: 'p-blocks', records: 60, postponed: null },
    ],
  })
  // The node does not belong to the configured network.
  const mixed = ['run', '--all', '--config', jobsFile(lake, 'network-id: 5\n'), '--json', '--log-level', 'silent']
  const { code, stdout } = await chainlake(mixed)
  expect(code).toBe(2)
  expect(JSON.parse(stdout).map(({ resumeAt }: { resumeAt?: string }) => typeof resumeAt)).toEqual([
    'string',
    'string',
    'object',
  ])
})
