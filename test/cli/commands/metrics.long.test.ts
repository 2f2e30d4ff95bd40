import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { createMetrics, parseMetricsAddress } from '../../../src/cli/commands/keep-metrics.ts'
import { ConfigError } from '../../../src/errors.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { pause } from '../../../src/lib/wait.ts'
import { ended, newLake, startCommand } from '../../run/lake-run.ts'
import { chainlake } from '../in-process.ts'

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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
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
  expect(samples.get('chainlake_head{job="p-blocks"}')).toBe(60)
  expect(samples.get('chainlake_lag_records{job="p-blocks"}')).toBe(0)
  expect(samples.get('chainlake_up')).toBe(0)
  expect(samples.get('chainlake_exit_code')).toBe(0)
})

test('metrics are served on loopback during a run; a port that is taken is refused', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const refused = await chainlake(['run', 'p-blocks', ...args(newLake()), '--metrics-port', String(port)])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('the port is in use') })
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

/** The metrics in PromQL, each with the labels that the query uses. */
function metricsIn(expr: string, legend: string): { name: string; labels: string[] }[] {
  const grouped = [
    /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? [],
    Array.from(legend.matchAll(/\{\{(\w+)\}\}/g), ([, label]) => label!),
  ]
  return Array.from(expr.matchAll(/\b(chainlake_\w+)(?:\{([^}]*)\})?/g), ([, name = '', matchers = '']) => ({
    name,
    labels: [...grouped.flat(), ...Array.from(matchers.matchAll(/(\w+) *[=!]/g), ([, label]) => label!)],
  }))
}

test('the Grafana dashboard only queries metrics and labels that a followed run serves', async () => {
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const child = startCommand(['run', 'p-blocks', ...args(newLake()), '--follow', '--metrics-port', address])
  const end = ended(child)
  let samples = new Map<string, number>()
  for (let tries = 0; samples.get('chainlake_lag_records{job="p-blocks"}') !== 0 && tries < 500; tries++) {
    const response = await fetch(`http://${address}/metrics`).catch(() => null)
    if (response !== null) samples = samplesOf(await response.text())
    await pause(20)
  }
  expect(await (await fetch(`http://${address}/healthz`)).text()).toBe('ok\n')
  expect((await fetch(`http://${address}/`)).status).toBe(404)
  expect((await fetch(`http://${address}/metrics`, { method: 'POST' })).status).toBe(404)
  child.kill('SIGINT')
  expect((await end).code).toBe(130)

  // Prometheus adds the label `instance` to each sample.
  const served = new Map<string, string[]>()
  for (const key of samples.keys()) {
    const [name = '', labels = ''] = key.split('{')
    served.set(name, ['instance', ...Array.from(labels.matchAll(/(\w+)="/g), ([, label]) => label!)])
  }
  expect(served.get('chainlake_memory_bytes')).toEqual(['instance'])
  const dashboard = JSON.parse(readFileSync(join(packageRoot(), 'examples/grafana/dashboard.json'), 'utf8'))
  const targets: { expr: string; legendFormat: string }[] = dashboard.panels.flatMap(
    ({ targets }: { targets: object[] }) => targets,
  )
  expect(targets.length).toBeGreaterThan(10)
  for (const { expr, legendFormat } of targets) {
    const queried = metricsIn(expr, legendFormat)
    expect(queried, expr).not.toEqual([])
    for (const { name, labels } of queried) {
      expect([...served.keys()], expr).toContain(name)
      expect(served.get(name), expr).toEqual(expect.arrayContaining(labels))
    }
  }
})

test.each([
  ['9464', { host: '127.0.0.1', port: 9464 }],
  ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
  ['[::1]:9464', { host: '::1', port: 9464 }],
])('--metrics-port %s is an address', (text, address) => {
  expect(parseMetricsAddress('--metrics-port', text)).toEqual(address)
})

test.each(['', ':9464', '::1:9464', 'localhost:', 'localhost:http', '0', '70000'])(
  '--metrics-port %j is refused',
  (text) => {
    expect(() => parseMetricsAddress('--metrics-port', text)).toThrow(ConfigError)
  },
)

test('labels are escaped, and lag follows what jobs tell', () => {
  const metrics = createMetrics()
  metrics.onEvent({ kind: 'planned', pipeline: 'a"b\\c', units: 1, record: 'block', records: 10, head: 12 })
  metrics.onEvent({ kind: 'progress', pipeline: 'a"b\\c', done: 4, total: 10, rows: 1, bytes: 1 })
  const samples = samplesOf(metrics.text())
  expect(samples.get('chainlake_lag_records{job="a\\"b\\\\c"}')).toBe(6)
  expect(samples.get('chainlake_head{job="a\\"b\\\\c"}')).toBe(12)
})
