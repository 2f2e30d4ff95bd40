import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMetrics } from '../../../../src/cli/commands/run/metrics.ts'
import { type Devnet, startDevnet } from '../../../../src/devnet/serve.ts'
import { pause } from '../../../../src/lib/pause.ts'
import { newLake } from '../../../run/lake-run.ts'
import { chainlake } from '../../in-process.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 14, blocks: 60 })
})
afterAll(() => node.close())

/** Samples by name and labels. Each line is parsed with the grammar of OpenMetrics. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n')
  expect(lines.slice(-2)).toEqual(['# EOF', ''])
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  for (const line of lines.slice(0, -2)) {
    const type = /^# TYPE ([a-z_]+) (counter|gauge)$/.exec(line)
    if (type !== null) types.set(type[1] ?? '', type[2] ?? '')
    if (line.startsWith('#')) continue
    const [, name = '', labels = '', value] =
      /^([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\.)*"\})? (-?[0-9.e+-]+)$/.exec(line) ?? []
    expect(name, line).not.toBe('')
    const family = types.get(name) === 'gauge' ? name : name.replace(/_total$/, '')
    expect(types.get(family), line).toBe(name.endsWith('_total') ? 'counter' : 'gauge')
    samples.set(`${name}${labels}`, Number(value))
  }
  return samples
}

const args = (lake: string) => ['--node-url', node.url, '--lake', lake, '--json', '--log-level', 'silent']

test('a run leaves its metrics in a file: they agree with its report', async () => {
  const lake = newLake()
  const file = join(dirname(lake), 'chainlake.prom')
  node.setFaults({ every: 5, kinds: ['bad-gateway'], pathPrefix: '/ext/index/' })
  const { code, stdout } = await chainlake(['run', 'p-blocks', ...args(lake), '--unit', '10', '--metrics-file', file])
  node.setFaults(null)
  expect(code).toBe(0)
  const [job] = JSON.parse(stdout).jobs
  const samples = samplesOf(readFileSync(file, 'utf8'))
  for (const { name, rows, bytes } of job.tables)
    if (rows > 0) {
      expect(samples.get(`chainlake_rows_total{table="${name}"}`)).toBe(rows)
      expect(samples.get(`chainlake_bytes_total{table="${name}"}`)).toBe(bytes)
    }
  // And one for who the network is.
  expect(samples.get('chainlake_commits_total')).toBe(job.units + 1)
  expect(samples.get('chainlake_commit_seconds_total')).toBeGreaterThan(0)
  expect(samples.get('chainlake_retries_total')).toBeGreaterThan(0)
  expect(samples.get('chainlake_wait_seconds_total')).toBeGreaterThan(0)
  expect(samples.get('chainlake_requests_total')).toBeGreaterThan(samples.get('chainlake_retries_total') ?? 0)
  expect(samples.get('chainlake_head{job="p-blocks"}')).toBe(59)
  expect(samples.get('chainlake_lag_records{job="p-blocks"}')).toBe(0)
  expect(samples.get('chainlake_up')).toBe(0)
  expect(samples.get('chainlake_exit_code')).toBe(0)
})

test('metrics are served on loopback while a run goes on; a port that is taken is refused', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const refused = await chainlake(['run', 'p-blocks', ...args(newLake()), '--metrics-port', String(port)])
  expect(refused.code).toBe(2)
  await new Promise((resolve) => other.close(resolve))

  node.setFaults({ every: 2, kinds: ['slow'], pathPrefix: '/ext/index/' })
  const running = chainlake(['run', 'p-blocks', ...args(newLake()), '--metrics-port', String(port)])
  let text = ''
  for (let tries = 0; text === '' && tries < 500; tries++) {
    text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text(),
      () => '',
    )
    await pause(10)
  }
  expect(samplesOf(text).get('chainlake_up')).toBe(1)
  expect((await running).code).toBe(0)
  node.setFaults(null)
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow()
})

test('labels are escaped, and lag follows what jobs tell', () => {
  const metrics = createMetrics()
  metrics.onEvent({ kind: 'planned', pipeline: 'a"b\\c', units: 1, record: 'block', records: 10, head: 12 })
  metrics.onEvent({ kind: 'progress', pipeline: 'a"b\\c', done: 4, total: 10, rows: 1, bytes: 1 })
  const samples = samplesOf(metrics.text())
  expect(samples.get('chainlake_lag_records{job="a\\"b\\\\c"}')).toBe(6)
  expect(samples.get('chainlake_head{job="a\\"b\\\\c"}')).toBe(12)
})
