import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { containerId } from '../../codec/containers.ts'
import { putChecksum } from '../../codec/hash.ts'
import { type Devnet, type DevnetOptions, type FaultKind, parseFaultPlan, startDevnet } from '../../devnet/serve.ts'

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

const indexes = ['P/block', 'X/block', 'C/block'] as const

async function range(
  devnet: Devnet,
  startIndex: number,
  numToFetch: number,
  fault?: FaultKind,
  index = 'P/block',
): Promise<Container[]> {
  const reply = await call(devnet, `/ext/index/${index}`, 'index.getContainerRange', { startIndex, numToFetch }, fault)
  if (reply.error !== undefined) throw new Error(reply.error.message)
  return reply.result.containers as Container[]
}

/** Mistakes in containers that a client can detect. */
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
    devnet = await startDevnet({ seed: 3, blocks: 1_500, cacheDir, slowMs: 300 })
  })
  afterAll(() => devnet.close())

  test.each(indexes)('serves the containers of %s at random access', async (index) => {
    const path = `/ext/index/${index}`
    for (const from of [0, 1, 700, 1_499]) {
      const containers = await range(devnet, from, 1024, undefined, index)
      expect(containers).toHaveLength(Math.min(1024, 1_500 - from))
      expect(wrongs(containers, from)).toEqual([])
    }
    const last = await call(devnet, path, 'index.getLastAccepted')
    expect(last.result.index).toBe('1499')
    const { id } = last.result as Container
    expect((await call(devnet, path, 'index.getIndex', { id })).result).toEqual({ index: '1499' })
    expect((await call(devnet, path, 'index.isAccepted', { id })).result).toEqual({ isAccepted: true })
    expect((await call(devnet, path, 'index.getContainerByID', { id })).result).toEqual(last.result)
    expect((await call(devnet, path, 'index.getContainerByIndex', { index: 1499 })).result).toEqual(last.result)
    const beyond = await call(devnet, path, 'index.getContainerRange', { startIndex: 1_500, numToFetch: 1 })
    expect(beyond.error?.message).toBe('start index (1500) > last accepted index (1499)')
  })

  test.each(['X/tx', 'X/vtx'])('has the index %s, which is empty', async (index) => {
    const last = await call(devnet, `/ext/index/${index}`, 'index.getLastAccepted')
    expect(last.error?.message).toBe('no containers have been accepted')
  })

  test('reports its network, its chains and their heads', async () => {
    expect((await call(devnet, '/ext/info', 'info.getNetworkID')).result).toEqual({ networkID: '12345' })
    const { blockchains } = (await call(devnet, '/ext/bc/P', 'platform.getBlockchains')).result
    for (const alias of ['X', 'C']) {
      const { blockchainID } = (await call(devnet, '/ext/info', 'info.getBlockchainID', { alias })).result
      expect(blockchains.find(({ name }: { name: string }) => name === `${alias}-Chain`).id).toBe(blockchainID)
    }
    expect(blockchains.length).toBeGreaterThan(10)
    expect((await call(devnet, '/ext/bc/X', 'avm.getHeight')).result).toEqual({ height: '1500' })
    expect((await call(devnet, '/ext/bc/X', 'avm.getAssetDescription', { assetID: 'AVAX' })).result.symbol).toBe('AVAX')
    expect((await call(devnet, '/ext/bc/C/rpc', 'eth_blockNumber', [])).result).toBe('0x5dc')
    expect((await call(devnet, '/ext/bc/C/rpc', 'eth_mine', [])).error?.code).toBe(-32601)
    expect((await call(devnet, '/ext/bc/P', 'platform.getHeight')).result).toEqual({ height: '1500' })
    expect((await call(devnet, '/ext/bc/P', 'platform.getStakingAssetID')).result.assetID).toMatch(/^2fombh/)
    expect((await call(devnet, '/ext/info', 'info.upgrades')).result.durangoTime).toBe('2025-11-01T10:00:00Z')
    const { timestamp } = (await call(devnet, '/ext/bc/P', 'platform.getTimestamp')).result
    expect(timestamp > '2025-11-01T16:00:00Z').toBe(true)
  })

  test('is healthy unless a request has the fault unhealthy', async () => {
    const healthy = await request(`${devnet.url}/ext/health`)
    expect(healthy.statusCode).toBe(200)
    const head = { message: { engine: { consensus: { lastAcceptedHeight: 1_500 } } } }
    expect(await healthy.body.json()).toMatchObject({ healthy: true, checks: { P: head, X: head, C: head } })
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
  ] as const)('with the fault %s returns status %i', async (fault, status, retryAfter) => {
    const answer = await send(devnet, '/ext/index/P/block', 'index.getLastAccepted', {}, fault)
    expect(answer.status).toBe(status)
    if (retryAfter === undefined) expect(answer.headers['retry-after']).toBeUndefined()
    else expect(String(answer.headers['retry-after'])).toMatch(retryAfter)
    if (fault === 'bootstrapping') expect(answer.text).toMatch(/not done bootstrapping/)
  })

  test.each(['reset', 'reset-midway'] as const)('with the fault %s breaks the connection', async (fault) => {
    await expect(range(devnet, 0, 10, fault)).rejects.toMatchObject({
      code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/),
    })
  })

  test('with the fault slow returns a correct answer late', async () => {
    const start = performance.now()
    expect(wrongs(await range(devnet, 5, 10, 'slow'), 5)).toEqual([])
    expect(performance.now() - start).toBeGreaterThan(280)
  })

  test.each(indexes)(
    'damages the answers of %s in the way that the name of each content fault describes',
    async (index) => {
      const under = (fault?: FaultKind) => range(devnet, 0, 10, fault, index)
      await expect(under('truncated')).rejects.toThrow(SyntaxError)
      expect(wrongs(await under('wrong-checksum'), 0)).toEqual(['checksum of 9'])
      expect(wrongs(await under('wrong-id'), 0)).toEqual(['id of 9'])
      expect(await under('short-range')).toHaveLength(5)
      await expect(under('empty')).rejects.toThrow('no containers have been accepted')
      const behind = await call(devnet, `/ext/index/${index}`, 'index.getLastAccepted', {}, 'moving-head')
      expect(behind.result.index).toBe('1492')
      const other = await under('other-chain')
      expect(other[0]?.id).not.toBe((await under())[0]?.id)
      expect(wrongs(other, 0)).toEqual([])
    },
  )

  test('applies planned faults to every nth request and counts them', async () => {
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

  test('extends its chains beyond the generated steps, and earlier containers stay the same', async () => {
    const before = await Promise.all(indexes.map((index) => range(devnet, 1_400, 100, undefined, index)))
    expect(await devnet.grow(100)).toBe(1_600)
    const grown = await request(`${devnet.url}/devnet/grow?containers=1000`, { method: 'POST' })
    expect(await grown.body.json()).toEqual({ accepted: 2_600 })
    for (const [at, index] of indexes.entries()) {
      expect(await range(devnet, 1_400, 100, undefined, index)).toEqual(before[at])
      const containers = await range(devnet, 2_000, 1024, undefined, index)
      expect(containers).toHaveLength(600)
      expect(wrongs(containers, 2_000)).toEqual([])
    }
    expect((await call(devnet, '/ext/bc/P', 'platform.getHeight')).result).toEqual({ height: '2600' })
  })
})

test('the head grows with time, starting from an empty chain', async () => {
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

test('a cached chain is reused, also for a shorter chain', async () => {
  const files = () => readdirSync(cacheDir).filter((name) => name.includes('seed11-'))
  const read = (devnet: Devnet) => range(devnet, 0, 50)
  const first = await withDevnet({ seed: 11, blocks: 200 }, read)
  expect(files()).toHaveLength(1)
  expect(await withDevnet({ seed: 11, blocks: 100 }, read)).toEqual(first)
  expect(files()).toHaveLength(1)
})

test('a network from before Cortina has vertices and transactions until its X-Chain is linear', async () => {
  const counts = await withDevnet({ seed: 11, blocks: 100, legacy: true }, async (devnet) => {
    const last = (index: string) => call(devnet, `/ext/index/${index}`, 'index.getLastAccepted')
    expect((await last('X/block')).error?.message).toBe('no containers have been accepted')
    expect((await call(devnet, '/ext/bc/X', 'avm.getHeight')).error?.message).toBe(
      'rpc: can\'t find method "avm.GetHeight"',
    )
    await devnet.grow(400)
    const [vertices, transactions, blocks] = await Promise.all(['X/vtx', 'X/tx', 'X/block'].map(last))
    return [vertices, transactions, blocks].map((reply) => Number(reply?.result.index) + 1)
  })
  const [vertices, transactions, blocks] = counts as [number, number, number]
  // The chain creates the stop vertex together with the first block.
  expect(vertices + blocks).toBe(501)
  expect(transactions).toBeGreaterThan(vertices)
})

test('the spec dialect returns container ranges as plain lists, and an empty list for zero containers', async () => {
  await withDevnet({ seed: 11, blocks: 100, dialect: 'spec' }, async (devnet) => {
    const ask = (numToFetch: number) =>
      call(devnet, '/ext/index/P/block', 'index.getContainerRange', { startIndex: 0, numToFetch })
    expect((await ask(3)).result).toHaveLength(3)
    expect((await ask(0)).result).toEqual([])
  })
})

test('invalid options are refused', async () => {
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
