import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTransport, type Retry, type Transport } from '../../src/fetch/transport.ts'
import { createIndexApi } from '../../src/sources/index-api.ts'
import { readHealth } from '../../src/sources/node-health.ts'
import { identifyNetwork } from '../../src/sources/node-info.ts'
import { describeWithSharedData, sharedData } from '../shared-data.ts'

type Recorded = { index: string; id: string; bytes: string }

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Plays a recording; every `faultEvery`th request fails in one of six ways. */
async function play(recording: string, faultEvery: number): Promise<{ url: string; process: ChildProcess }> {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [sharedData('../tools/replay.mjs'), sharedData(`recorded/${recording}`), String(port), String(faultEvery)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(child.stdout!, 'data')
  return { url: `http://127.0.0.1:${port}`, process: child }
}

function recorded(recording: string, chain: string): Recorded[] {
  const text = gunzipSync(readFileSync(sharedData(`recorded/${recording}/${chain}-containers.jsonl.gz`))).toString()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)
}

for (const [recording, faultEvery] of [
  ['granite', 0],
  ['helicon', 5],
] as const) {
  describeWithSharedData(`the recorded node ${recording}, a fault every ${faultEvery} requests`, () => {
    let node: { url: string; process: ChildProcess }
    let transport: Transport
    const retries: Retry[] = []
    beforeAll(async () => {
      node = await play(recording, faultEvery)
      transport = createTransport({
        baseUrl: node.url,
        backoff: { baseMs: 2, maxMs: 10 },
        maxRetryAfterMs: 20,
        onRetry: (retry) => retries.push(retry),
      })
    })
    afterAll(async () => {
      await transport.close()
      node.process.kill()
    })

    test('says which network it belongs to', async () => {
      const identity = await identifyNetwork(transport)
      expect(identity.warnings).toEqual([])
      expect(identity.chains.map(({ alias }) => alias)).toEqual(['P', 'X', 'C'])
      expect(identity.chains.every(({ vmId }) => vmId !== null)).toBe(true)
      expect(identity).toMatchObject(
        recording === 'granite'
          ? { network: 'local', hrp: 'local', nativeAssetId: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe' }
          : {
              network: 'network-88003',
              hrp: 'custom',
              nativeAssetId: '2acTdwngF4oFmMWpi4LqwZUFgnn1oSpezGX7CbWM2eXjF8uywm',
            },
      )
      expect(identity.durangoTime).toBe(Date.UTC(2020, 11, 5, 5) / 1000)
    })

    test('calls itself unhealthy', async () => {
      const health = await readHealth(transport)
      expect(health.healthy).toBe(false)
      expect(health.reason).toMatch(/failed to create chain/)
    })

    test.each(['P', 'X'])('gives every container of %s/block, verified', async (chain) => {
      const expected = recorded(recording, chain.toLowerCase())
      const api = createIndexApi(transport, `${chain}/block`, { waitMs: 2 })
      const head = await api.lastAccepted()
      expect(head?.index).toBe(expected.length - 1)
      const starts = Array.from({ length: Math.ceil(expected.length / 256) }, (_, i) => i * 256)
      const windows = await Promise.all(starts.map((from) => api.window(from, Math.min(from + 256, expected.length))))
      const got = windows.flat()
      expect(got.map(({ index, id }) => `${index} ${id}`)).toEqual(expected.map(({ index, id }) => `${index} ${id}`))
      const differing = got.filter(
        ({ bytes }, i) => Buffer.from(bytes).toString('hex') !== expected[i]?.bytes.slice(2, -8),
      )
      expect(differing).toEqual([])
      expect(retries.length > 0).toBe(faultEvery > 0)
    })

    test.each(['X/tx', 'X/vtx'])('has an empty index %s', async (path) => {
      expect(await createIndexApi(transport, path).lastAccepted()).toBeNull()
    })

    test('has no index of an unknown chain', async () => {
      await expect(createIndexApi(transport, 'Z/block').lastAccepted()).rejects.toMatchObject({
        code: 'transport.no-index',
      })
    })
  })
}
