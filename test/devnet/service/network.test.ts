import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeExactly } from '../../../codec/linear.ts'
import { l1Message, warpMessage, warpPayload } from '../../../codec/warp.ts'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'

const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-service-'))
let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({ seed: 5, blocks: 1_200, cacheDir })
})
afterAll(async () => {
  await devnet.close()
  rmSync(cacheDir, { recursive: true, force: true })
})

async function ask(path: string, method: 'GET' | 'POST' = 'GET', body?: object) {
  const options = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await request(`${devnet.url}${path}`, { method, ...options })
  const text = await answer.body.text()
  return { status: answer.statusCode, text, body: text.startsWith('{') ? JSON.parse(text) : null }
}

describe('GET /v1/chains', () => {
  test.each([
    ['', 1],
    ['?network=fuji', 1],
    ['?network=testnet&feature=nftIndexing', 1],
    ['?network=mainnet', 0],
    ['?feature=webhooks', 0],
  ])('lists the chains that match the query "%s"', async (query, count) => {
    const { status, body } = await ask(`/v1/chains${query}`)
    expect(status).toBe(200)
    expect(body.chains).toHaveLength(count)
  })

  test('refuses an unknown feature', async () => {
    expect((await ask('/v1/chains?feature=none')).status).toBe(400)
  })
})

describe('the signature aggregator', () => {
  const path = '/v1/signatureAggregator/fuji/aggregateSignatures'

  test('signs messages, and the same message gets the same signature', async () => {
    const first = await ask(path, 'POST', { message: '0xABCD' })
    expect(first.status).toBe(201)
    expect(first.body.signedMessage).toMatch(/^abcd[0-9a-f]{210}$/)
    const again = await ask(path, 'POST', { message: 'abcd', quorumPercentage: 60, quorumPercentageBuffer: 40 })
    expect(again.body).toEqual(first.body)
    const gone = await ask(path, 'POST', { justification: '01' })
    expect(() => decodeExactly(warpMessage, Buffer.from(gone.body.signedMessage, 'hex'), 'message')).not.toThrow()
  })

  test.each([
    [{}, 'either message or justification must be provided'],
    [{ message: 'xyz' }, 'message must be a hexadecimal string'],
    [{ message: 'ab', quorumPercentage: 101 }, 'quorumPercentage must be an integer number from 0 to 100'],
    [{ message: 'ab', quorumPercentageBuffer: 34 }, 'quorumPercentage + quorumPercentageBuffer must be <= 100'],
    [{ message: 'ab', signingSubnetId: '12' }, 'signingSubnetId must be a hex or cb58 subnet id'],
  ])('refuses %j', async (body, message) => {
    expect(await ask(path, 'POST', body)).toMatchObject({ status: 400, body: { message: [message] } })
  })

  test('signs the P-Chain messages about an L1 by transaction id', async () => {
    const ids = (await ask('/devnet/addresses?of=l1')).text.trim().split('\n')
    expect(ids.length).toBeGreaterThan(3)
    const types = new Set<string>()
    for (const id of ids) {
      const { status, body } = await ask(`${path}/${id}`)
      expect(status).toBe(201)
      const message = decodeExactly(warpMessage, Buffer.from(body.signedMessage, 'hex'), 'message')
      const call = decodeExactly(warpPayload, message.payload, 'payload')
      if (call.type !== 'warp.AddressedCall') throw new Error(call.type)
      types.add(decodeExactly(l1Message, call.payload, 'call').type)
    }
    expect(types).toContain('warp.SubnetToL1Conversion')
    expect(types).toContain('warp.L1ValidatorRegistration')
    expect((await ask(`${path}/${ids[0]}x`)).status).toBe(400)
    expect((await ask(`${path}/11111111111111111111111111111111LpoYY`)).status).toBe(404)
  })
})

describe('average TPS', () => {
  test('is the average of the blocks of each day, newest first, on both paths', async () => {
    const { body } = await ask('/v1/avg_tps/43112')
    expect(body).toMatchObject({ status: 200, lastRun: expect.any(Number) })
    const { rows } = (await ask('/devnet/summary')).body
    const points: { timestamp: number; value: number }[] = body.results
    expect(points).toHaveLength(rows.metrics_chain_tps)
    const counted = points.reduce((sum, { value }) => sum + value * 86_400, 0)
    expect(Math.abs(counted - rows.c_transactions)).toBeLessThan(points.length)
    expect(points.map(({ timestamp }) => timestamp)).toEqual(
      points.map((_, back) => points[0]!.timestamp - back * 86_400),
    )
    const today = await ask('/v2/chains/43112/metrics/avgTps?timeInterval=day')
    expect(today.body.results).toEqual(points)
    const some = await ask(`/v2/chains/43112/metrics/avgTps?endTimestamp=${points[0]!.timestamp - 1}`)
    expect(some.body.results).toEqual(points.slice(1))
    expect((await ask('/v2/chains/43112/metrics/avgTps?timeInterval=hour')).status).toBe(400)
  })
})

describe('GET /devnet/summary', () => {
  test('counts blocks and follows the head', async () => {
    const before = (await ask('/devnet/summary')).body
    expect(before.heads).toMatchObject({ 'P/block': 1_200, 'C/block': 1_200 })
    expect(before.rows).toMatchObject({ p_blocks: 1_200, x_blocks: 1_200, c_blocks: 1_200, rest_evm_chains: 1 })
    for (const sum of Object.values(before.sums)) expect(sum).toMatch(/^-?\d+$/)
    await devnet.grow(10)
    expect((await ask('/devnet/summary')).body.rows).toMatchObject({ p_blocks: 1_210, c_blocks: 1_210 })
  })

  test('/devnet/addresses has a list without duplicates for every kind', async () => {
    for (const kind of ['p', 'x', 'c', 'atomic', 'evm', 'contracts', 'nodes', 'validations', 'l1']) {
      const lines = (await ask(`/devnet/addresses?of=${kind}`)).text.split('\n')
      expect(lines.length).toBeGreaterThan(3)
      expect(new Set(lines).size).toBe(lines.length)
    }
    expect((await ask('/devnet/addresses')).status).toBe(400)
  })
})

test('each API key has its own limit, and unknown and revoked keys are refused', async () => {
  const keyed = await startDevnet({
    seed: 5,
    blocks: 1_200,
    cacheDir,
    dialect: 'spec',
    service: { unitsPerMinute: 10, keys: { good: 1_000 }, revokedKeys: ['old'] },
  })
  const send = async (key?: string) => {
    const headers = key === undefined ? {} : { 'x-service-api-key': key }
    const answer = await request(`${keyed.url}/v1/chains/43112/blocks`, { headers })
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(await answer.body.text()) }
  }
  try {
    expect((await send()).status).toBe(200)
    const refused = await send()
    expect(refused.body).toEqual({ message: 'Rate limit exceeded', statusCode: 429, error: 'Too Many Requests' })
    expect(refused.headers['retry-after']).toMatch(/^\d+$/)
    expect((await send('good')).headers).toMatchObject({ 'ratelimit-limit': '1000', 'ratelimit-remaining': '990' })
    expect((await send('bad')).body).toMatchObject({ statusCode: 401, error: 'Unauthorized' })
    expect((await send('old')).body).toMatchObject({ statusCode: 403, error: 'Forbidden' })
    expect(keyed.requests().statuses).toEqual({ 200: 2, 401: 1, 403: 1, 429: 1 })
  } finally {
    await keyed.close()
  }
})

test('the limit for requests without a key can change while the network runs', async () => {
  expect((await ask('/devnet/limits?units=5', 'POST')).body).toEqual({ unitsPerMinute: 5 })
  expect((await ask('/v1/avg_tps/43112')).status).toBe(429)
  expect(devnet.requests().statuses).toMatchObject({ 429: 1 })
  expect((await ask('/devnet/limits?units=0', 'POST')).status).toBe(404)
})
