import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { newLake } from '../run/lake-run.ts'
import { chainlake, finished, startChainlake } from './spawn.ts'

/** The URL of a port at which no server listens. */
async function deadUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

test.each([
  ['run', 'p-blocks', '--node-url'],
  ['plan', 'p-blocks', '--node-url'],
  ['run', 'rest-subnets', '--data-url'],
])('%s %s reports a source that is not there, and gives it up after five seconds', async (command, job, flag) => {
  const url = await deadUrl()
  const network = job === 'rest-subnets' ? ['--network', 'local'] : []
  const startedMs = performance.now()
  const { code, stderr } = await chainlake([command, job, ...network, flag, url, '--lake', newLake()])
  expect(performance.now() - startedMs).toBeGreaterThan(4_000)
  expect(code).toBe(3)
  expect(stderr.match(/cannot connect to http:\/\/127\.0\.0\.1:\d+, trying again/g)).toHaveLength(1)
  expect(stderr).toMatch(/^error: No answer from .*: connection refused \(\d+ tries\)\.$/m)
})

test('doctor and verify --node report a source that is not there, and give it up after five seconds', async () => {
  const { url: node, close } = await startDevnet({ seed: 41, blocks: 20 })
  const lake = newLake()
  expect((await chainlake(['run', 'p-blocks', '--node-url', node, '--lake', lake])).code).toBe(0)
  await close()
  const url = await deadUrl()
  for (const args of [
    ['doctor', 'p-blocks', '--node-url', url],
    ['verify', '--node', url],
    ['verify', '--rpc', `${url}/ext/bc/C/rpc`],
  ]) {
    const startedMs = performance.now()
    const { code, stderr } = await chainlake([...args, '--lake', lake])
    expect(performance.now() - startedMs).toBeGreaterThan(4_000)
    expect(code).toBe(3)
    expect(stderr.match(/cannot connect to http:\/\/127\.0\.0\.1:\d+, trying again/g)).toHaveLength(1)
  }
})

test('a run with --follow does not give up', async () => {
  const url = await deadUrl()
  const child = startChainlake(['run', 'p-blocks', '--follow', '--node-url', url, '--lake', newLake()])
  const end = finished(child)
  const first = await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 9_000, 'still running'))])
  child.kill('SIGTERM')
  expect(first).toBe('still running')
  expect((await end).stderr).toContain(`cannot connect to ${url}, trying again`)
})
