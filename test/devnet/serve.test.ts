import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { containerId } from '../../src/codec/container-id.ts'
import { putChecksum } from '../../src/codec/hash.ts'
import { type Devnet, type DevnetOptions, type FaultKind, parseFaultPlan, startDevnet } from '../../src/devnet/serve.ts'

type Container = { id: string; bytes: string; timestamp: string; encoding: string; index: string }
type Reply = { result?: any; error?: { code: number; message: string } }

const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-test-'))
afterAll(() => rmSync(cacheDir, { recursive: true, force: true }))

async function send(devnet: Devnet, path: string, method: string, params: object, fault?: FaultKind) {
  const answer = await request(`${devnet.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(fault === undefined ? {} : { 'x-devnet-fault': fault }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

async function call(
  devnet: Devnet,
  path: string,
  method: string,
  params: object = {},
  fault?: FaultKind,
): Promise<Reply> {
  return JSON.parse((await send(devnet, path, method, params, fault)).text) as Reply
}

async function range(devnet: Devnet, startIndex: number, numToFetch: number, fault?: FaultKind): Promise<Container[]> {
  const reply = await call(devnet, '/ext/index/P/block', 'index.getContainerRange', { startIndex, numToFetch }, fault)
  if (reply.error !== undefined) throw new Error(reply.error.message)
  return reply.result.containers as Container[]
}

/** What is wrong with containers as a client sees them. */
function wrongs(containers: readonly Container[], from: number): string[] {
  return containers.flatMap(({ id, bytes, index }, position) => {
    const whole = Buffer.from(bytes.slice(2), 'hex')
    const payload = whole.subarray(0, -4)
    const checksum = new Uint8Array(4)
    putChecksum(payload, checksum, 0)
    const found: string[] = []
    if (Number(index) !== from + position) found.push(`index ${index}`)
    if (!whole.subarray(-4).equals(checksum)) found.push(`checksum of ${index}`)
    if (found.length === 0 && containerId(payload) !== id) found.push(`id of ${index}`)
    return found
  })
}

describe('the simulated network', () => {
  let devnet: Devnet
  beforeAll(async () => {
    devnet = await startDevnet({ seed: 3, blocks: 3_000, cacheDir, slowMs: 300 })
  })
  afterAll(() => devnet.close())

  test('serves its containers at random access', async () => {
    for (const from of [0, 1, 1_023, 2_000]) {
      const containers = await range(devnet, from, 1024)
      expect(containers).toHaveLength(Math.min(1024, 3_000 - from))
      expect(wrongs(containers, from)).toEqual([])
    }
    const last = await call(devnet, '/ext/index/P/block', 'index.getLastAccepted')
    expect(last.result.index).toBe('2999')
    const { id } = last.result as Container
    expect((await call(devnet, '/ext/index/P/block', 'index.getIndex', { id })).result).toEqual({ index: '2999' })
    expect((await call(devnet, '/ext/index/P/block', 'index.getContainerByID', { id })).result).toEqual(last.result)
    const beyond = await call(devnet, '/ext/index/P/block', 'index.getContainerRange', {
      startIndex: 3_000,
      numToFetch: 1,
    })
    expect(beyond.error?.message).toBe('start index (3000) > last accepted index (2999)')
    const x = await call(devnet, '/ext/index/X/block', 'index.getLastAccepted')
    expect(x.error?.message).toBe('no containers have been accepted')
  })

  test('says what network it is', async () => {
    expect((await call(devnet, '/ext/info', 'info.getNetworkID')).result).toEqual({ networkID: '12345' })
    const { blockchainID } = (await call(devnet, '/ext/info', 'info.getBlockchainID', { alias: 'X' })).result
    const { blockchains } = (await call(devnet, '/ext/bc/P', 'platform.getBlockchains')).result
    expect(blockchains.find(({ name }: { name: string }) => name === 'X-Chain').id).toBe(blockchainID)
    expect(blockchains.length).toBeGreaterThan(10)
    expect((await call(devnet, '/ext/bc/P', 'platform.getHeight')).result).toEqual({ height: '3000' })
    expect((await call(devnet, '/ext/bc/P', 'platform.getStakingAssetID')).result.assetID).toMatch(/^2fombh/)
    expect((await call(devnet, '/ext/info', 'info.upgrades')).result.durangoTime).toBe('2025-11-01T10:00:00Z')
    const { timestamp } = (await call(devnet, '/ext/bc/P', 'platform.getTimestamp')).result
    expect(timestamp > '2025-11-01T16:00:00Z').toBe(true)
  })

  test('is healthy unless told otherwise', async () => {
    const healthy = await request(`${devnet.url}/ext/health`)
    expect(healthy.statusCode).toBe(200)
    expect(await healthy.body.json()).toMatchObject({ healthy: true })
    const sick = await request(`${devnet.url}/ext/health?devnet-fault=unhealthy`)
    expect(sick.statusCode).toBe(503)
    expect(await sick.body.json()).toMatchObject({ healthy: false })
    expect((await call(devnet, '/ext/health', 'health.health', {}, 'unhealthy')).result.healthy).toBe(false)
  })

  test.each([
    ['rate-limit', 429, undefined],
    ['rate-limit-seconds', 429, /^1$/],
    ['rate-limit-date', 429, / GMT$/],
    ['server-error', 500, undefined],
    ['bad-gateway', 502, undefined],
    ['unavailable', 503, undefined],
    ['bootstrapping', 503, undefined],
    ['index-off', 404, undefined],
  ] as const)('fault %s answers %i', async (fault, status, retryAfter) => {
    const answer = await send(devnet, '/ext/index/P/block', 'index.getLastAccepted', {}, fault)
    expect(answer.status).toBe(status)
    if (retryAfter === undefined) expect(answer.headers['retry-after']).toBeUndefined()
    else expect(String(answer.headers['retry-after'])).toMatch(retryAfter)
    if (fault === 'bootstrapping') expect(answer.text).toMatch(/not done bootstrapping/)
  })

  test.each(['reset', 'reset-midway'] as const)('fault %s breaks the connection', async (fault) => {
    await expect(range(devnet, 0, 10, fault)).rejects.toMatchObject({
      code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/),
    })
  })

  test('fault slow comes late and is right', async () => {
    const start = performance.now()
    expect(wrongs(await range(devnet, 5, 10, 'slow'), 5)).toEqual([])
    expect(performance.now() - start).toBeGreaterThan(280)
  })

  test('faults of content are what they say', async () => {
    await expect(range(devnet, 0, 10, 'truncated')).rejects.toThrow(SyntaxError)
    expect(wrongs(await range(devnet, 0, 10, 'wrong-checksum'), 0)).toEqual(['checksum of 9'])
    expect(wrongs(await range(devnet, 0, 10, 'wrong-id'), 0)).toEqual(['id of 9'])
    expect(await range(devnet, 0, 10, 'short-range')).toHaveLength(5)
    await expect(range(devnet, 0, 10, 'empty')).rejects.toThrow('no containers have been accepted')
    const behind = await call(devnet, '/ext/index/P/block', 'index.getLastAccepted', {}, 'moving-head')
    expect(behind.result.index).toBe('2992')
    const [own] = await range(devnet, 0, 1)
    const [other] = await range(devnet, 0, 1, 'other-chain')
    expect(other?.id).not.toBe(own?.id)
    expect(wrongs(await range(devnet, 0, 100, 'other-chain'), 0)).toEqual([])
  })

  test('planned faults hit every nth request and are counted', async () => {
    await request(`${devnet.url}/devnet/requests`, { method: 'DELETE' }).then(({ body }) => body.dump())
    devnet.setFaults({ ...parseFaultPlan('5:server-error,rate-limit'), pathPrefix: '/ext/index/' })
    const statuses: number[] = []
    for (let k = 0; k < 20; k += 1) {
      statuses.push((await send(devnet, '/ext/index/P/block', 'index.getLastAccepted', {})).status)
    }
    await call(devnet, '/ext/info', 'info.getNetworkID')
    devnet.setFaults(null)
    expect(statuses.filter((status) => status !== 200)).toHaveLength(4)
    const counted = (await (await request(`${devnet.url}/devnet/requests`)).body.json()) as ReturnType<
      Devnet['requests']
    >
    expect(counted).toMatchObject({ requests: 21, faults: 4, paths: { '/ext/index/P/block': 20, '/ext/info': 1 } })
    expect(devnet.requests()).toEqual(counted)
  })

  test('the head grows beyond what was generated, over the same chain', async () => {
    const before = await range(devnet, 2_900, 100)
    expect(await devnet.grow(500)).toBe(3_500)
    const grown = await request(`${devnet.url}/devnet/grow?containers=2000`, { method: 'POST' })
    expect(await grown.body.json()).toEqual({ accepted: 5_500 })
    expect(await range(devnet, 2_900, 100)).toEqual(before)
    expect(wrongs(await range(devnet, 4_700, 1024), 4_700)).toEqual([])
    expect((await call(devnet, '/ext/bc/P', 'platform.getHeight')).result).toEqual({ height: '5500' })
  })
})

test('the head grows with time, from an empty chain on', async () => {
  await withDevnet({ blocks: 0, blockTimeMs: 5 }, async (devnet) => {
    const start = performance.now()
    let index = -1
    while (index < 5 && performance.now() - start < 5_000) {
      const reply = await call(devnet, '/ext/index/P/block', 'index.getLastAccepted')
      index = reply.error === undefined ? Number(reply.result.index) : -1
    }
    expect(index).toBeGreaterThanOrEqual(5)
  })
})

test('a chain in the cache is taken again, and serves shorter ones', async () => {
  const files = () => readdirSync(cacheDir).filter((name) => name.includes('seed11-'))
  const read = (devnet: Devnet) => range(devnet, 0, 50)
  const first = await withDevnet({ seed: 11, blocks: 200 }, read)
  expect(files()).toHaveLength(1)
  expect(await withDevnet({ seed: 11, blocks: 100 }, read)).toEqual(first)
  expect(files()).toHaveLength(1)
})

test('the dialect of the specification differs as it says', async () => {
  await withDevnet({ seed: 11, blocks: 100, dialect: 'spec' }, async (devnet) => {
    const ask = (numToFetch: number) =>
      call(devnet, '/ext/index/P/block', 'index.getContainerRange', { startIndex: 0, numToFetch })
    expect((await ask(3)).result).toHaveLength(3)
    expect((await ask(0)).result).toEqual([])
  })
})

test('options that cannot be are refused', async () => {
  await expect(startDevnet({ blocks: 1_000_001 })).rejects.toMatchObject({ exitCode: 2 })
  await expect(startDevnet({ seed: -1 })).rejects.toMatchObject({ exitCode: 2 })
  await withDevnet({ blocks: 0 }, async ({ port }) => {
    await expect(startDevnet({ blocks: 0, cacheDir, port })).rejects.toMatchObject({ code: 'config.devnet-port' })
  })
  const notAFolder = join(cacheDir, 'file')
  writeFileSync(notAFolder, '')
  await expect(startDevnet({ cacheDir: notAFolder })).rejects.toMatchObject({ exitCode: 5 })
  expect(() => parseFaultPlan('5:explode')).toThrow('There is no fault named explode.')
  expect(parseFaultPlan('5')).toEqual({ every: 5 })
  expect(parseFaultPlan('slow')).toEqual({ every: 1, kinds: ['slow'] })
})

async function withDevnet<T>(options: DevnetOptions, use: (devnet: Devnet) => Promise<T>): Promise<T> {
  const devnet = await startDevnet({ cacheDir, ...options })
  try {
    return await use(devnet)
  } finally {
    await devnet.close()
  }
}
