import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { createTransport, type Retry, type Transport } from '../../src/fetch/transport.ts'
import { identifyNetwork, readHealth } from '../../src/sources/node.ts'
import { createIndexApi } from '../../src/sources/node-index.ts'
import { recordedContainers, recordingFolder } from '../recorded.ts'

for (const [recording, faultEvery] of [
  ['granite', 0],
  ['helicon', 5],
] as const) {
  describe(`the recorded node ${recording}, a fault every ${faultEvery} requests`, () => {
    let node: Devnet
    let transport: Transport
    const retries: Retry[] = []
    beforeAll(async () => {
      const faults = faultEvery === 0 ? {} : { faults: { kinds: transientFaults, every: faultEvery } }
      node = await startDevnet({ replay: recordingFolder(recording), slowMs: 50, ...faults })
      transport = createTransport({
        baseUrl: node.url,
        backoff: { baseMs: 2, maxMs: 10 },
        onRetry: (retry) => retries.push(retry),
      })
    })
    afterAll(async () => {
      await transport.close()
      await node.close()
    })

    test('reports its network', async () => {
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

    test('reports itself as unhealthy', async () => {
      const health = await readHealth(transport)
      expect(health.healthy).toBe(false)
      expect(health.reason).toMatch(/failed to create chain/)
    })

    test.each(['P', 'X'])('returns every container of %s/block, verified', async (chain) => {
      const expected = recordedContainers(`${recording}/${chain.toLowerCase()}-containers`)
      const api = createIndexApi(transport, `${chain}/block`, { waitMs: 2 })
      const head = await api.lastAccepted()
      expect(head?.index).toBe(expected.length - 1)
      const starts = Array.from({ length: Math.ceil(expected.length / 256) }, (_, i) => i * 256)
      const windows = await Promise.all(starts.map((from) => api.window(from, Math.min(from + 256, expected.length))))
      const got = windows.flat()
      expect(got.map(({ index, id }) => `${index} ${id}`)).toEqual(expected.map(({ index, id }) => `${index} ${id}`))
      const differing = got.filter(({ bytes }, i) => Buffer.compare(bytes, expected[i]!.bytes) !== 0)
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
