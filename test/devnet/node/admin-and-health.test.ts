import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedCalls } from '../../../devnet/replay/recording.ts'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { recordingFolder } from '../../recorded.ts'
import { callNode, parseAnswer, recordedOf, resultOf } from './calling.ts'
import { shapeOf } from './shapes.ts'

const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-admin-'))
let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({ seed: 31, blocks: 60, cacheDir, mostLogBlocks: 77 })
})
afterAll(async () => {
  await devnet.close()
  rmSync(cacheDir, { recursive: true, force: true })
})

describe('the admin API of the C-Chain', () => {
  const path = '/ext/bc/C/admin'
  const message = async (method: string, params: object = {}) =>
    (await callNode(devnet, path, method, params)).error?.message

  test('starts and stops a profile only once', async () => {
    expect(await message('admin.stopCPUProfiler')).toBe("cpu profiler doesn't exist")
    expect(await resultOf(devnet, path, 'admin.startCPUProfiler')).toEqual({})
    expect(await message('admin.startCPUProfiler')).toBe('cpu profiler already running')
    for (const method of ['stopCPUProfiler', 'memoryProfile', 'lockProfile'])
      expect(await resultOf(devnet, path, `admin.${method}`)).toEqual({})
  })

  test('returns the configuration of the node, and setLogLevel changes it', async () => {
    const config = async () => (await resultOf(devnet, path, 'admin.getVMConfig')).config
    expect(await config()).toMatchObject({
      'log-level': 'info',
      'api-max-blocks-per-request': 77n,
      'historical-proof-query-window': 32n,
    })
    expect(await message('admin.setLogLevel', { level: 'loud' })).toBe('failed to parse log level: unknown level: loud')
    await resultOf(devnet, path, 'admin.setLogLevel', { level: 'debug' })
    expect((await config())['log-level']).toBe('debug')
    const [recorded] = recordedOf('granite', /^admin.getVMConfig$/)
    const of = parseAnswer(recorded!.answer!.body).result.config
    for (const name of Object.keys(await config())) expect(Object.keys(of)).toContain(name)
  })

  test('refuses method names of the specification like the recorded node; the spec dialect accepts them', async () => {
    const [recorded] = recordedOf('granite', /^admin_getVMConfig$/)
    expect(await callNode(devnet, path, 'admin_getVMConfig', [])).toEqual(parseAnswer(recorded!.answer!.body))
    const neutral = await startDevnet({ seed: 31, blocks: 60, cacheDir, dialect: 'spec' })
    expect(await resultOf(neutral, path, 'admin_setLogLevel', [{ level: 'warn' }])).toEqual({})
    expect((await resultOf(neutral, path, 'admin_getVMConfig', [])).config['log-level']).toBe('warn')
    expect(
      await resultOf(neutral, '/ext/bc/C/cx', 'cx.getUTXOs', [
        { addresses: await anAddress(neutral), sourceChain: 'X' },
      ]),
    ).toMatchObject({ encoding: 'hex' })
    await neutral.close()
  })

  async function anAddress(of: Devnet): Promise<string[]> {
    const [first] = (await (await request(`${of.url}/devnet/addresses?of=c`)).body.text()).split('\n')
    return [`C-${first}`]
  }
})

describe('the health API', () => {
  const recorded = recordedCalls(recordingFolder('live')).filter(({ request: requested }) =>
    requested.path.startsWith('/ext/health'),
  )

  test('returns the same checks in the same shape as a healthy recorded node', async () => {
    expect(recorded.length).toBeGreaterThan(10)
    for (const { request: requested, answer } of recorded) {
      const said = await request(`${devnet.url}${requested.path}`, {
        method: requested.method as 'GET' | 'POST',
        headers: requested.headers,
        ...(requested.body ? { body: requested.body } : {}),
      })
      const [mine, real] = [parseAnswer(await said.body.text()), parseAnswer(answer!.body)]
      const [found, expected] = [mine.result ?? mine, real.result ?? real]
      expect(said.statusCode).toBe(answer!.status)
      expect({ of: requested, checks: Object.keys(found.checks) }).toEqual({
        of: requested,
        checks: Object.keys(expected.checks),
      })
      for (const name of Object.keys(expected.checks))
        expect({ name, shape: shapeOf(found.checks[name]) }).toEqual({ name, shape: shapeOf(expected.checks[name]) })
    }
  })

  test('returns status 503 to a GET and 200 to a call when the node is unhealthy', async () => {
    const headers = { 'x-devnet-fault': 'unhealthy' }
    const got = await request(`${devnet.url}/ext/health?tag=nothing`, { headers })
    expect([got.statusCode, ((await got.body.json()) as any).healthy]).toEqual([503, false])
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'health.health', params: { tags: ['nothing'] } })
    const posted = await request(`${devnet.url}/ext/health`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    expect([posted.statusCode, ((await posted.body.json()) as any).result.healthy]).toEqual([200, false])
  })
})
