import { afterEach, describe, expect, test } from 'vitest'
import { ConfigError, TransportError } from '../../src/errors.ts'
import { createTransport, type Transport } from '../../src/fetch/transport.ts'
import { identifyNetwork, readHealth } from '../../src/sources/node.ts'
import { type LocalServer, quick, type Reply, startServer } from '../fetch/local-server.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const x = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'
const c = '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC'
const asset = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
const primary = '11111111111111111111111111111111LpoYY'

const bootstrapping: Reply = { status: 503, body: 'API call rejected because chain is not done bootstrapping' }

/** A node that answers methods with these results or replies; it does not know other methods. */
async function serve(
  methods: Record<string, unknown>,
  instead: (path: string, body: string) => Reply | undefined = () => undefined,
): Promise<{ server: LocalServer; transport: Transport }> {
  const server = await startServer(({ path, body }) => {
    const other = instead(path, body)
    if (other !== undefined) return other
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: Record<string, string> }
    const result = methods[[method, ...Object.values(params)].join(' ')]
    return {
      body: JSON.stringify(
        result === undefined ? { error: { code: -32000, message: "can't find method" }, id } : { result, id },
      ),
    }
  })
  cleanups.push(server.close)
  const transport = createTransport({ baseUrl: server.url, ...quick })
  cleanups.push(transport.close)
  return { server, transport }
}

const local = {
  'info.getNetworkID': { networkID: '12345' },
  'info.getBlockchainID X': { blockchainID: x },
  'info.getBlockchainID C': { blockchainID: c },
  'info.upgrades': { durangoTime: '2020-12-05T05:00:00Z', graniteEpochDuration: 30000000000 },
  'platform.getBlockchains': {
    blockchains: [
      { id: c, name: 'C-Chain', subnetID: primary, vmID: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6' },
      { id: x, name: 'X-Chain', subnetID: primary, vmID: 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq' },
      { id: asset, name: 'X-Chain', subnetID: asset, vmID: asset },
    ],
  },
  'platform.getStakingAssetID': { assetID: asset },
}

describe('identifyNetwork', () => {
  test('queries a node of an unknown network', async () => {
    const { transport } = await serve(local)
    expect(await identifyNetwork(transport)).toEqual({
      networkId: 12345,
      network: 'local',
      hrp: 'local',
      chains: [
        {
          alias: 'P',
          blockchainId: primary,
          vmId: 'rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT',
          subnetId: primary,
        },
        { alias: 'X', blockchainId: x, vmId: 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq', subnetId: primary },
        { alias: 'C', blockchainId: c, vmId: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6', subnetId: primary },
      ],
      nativeAssetId: asset,
      durangoTime: Date.UTC(2020, 11, 5, 5) / 1000,
      warnings: [],
    })
  })

  test.each([
    ['1', 'mainnet', 'avax', 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z', 1709740800],
    ['5', 'fuji', 'fuji', 'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK', 1707840000],
  ])(
    'knows network %s, also if its chains do not answer',
    async (networkID, network, hrp, nativeAssetId, durangoTime) => {
      for (const reply of [undefined, bootstrapping, { status: 500 }]) {
        const { transport } = await serve({ 'info.getNetworkID': { networkID } }, (path) =>
          path === '/ext/info' ? undefined : reply,
        )
        const identity = await identifyNetwork(transport)
        expect(identity).toMatchObject({ network, hrp, nativeAssetId, durangoTime, warnings: [] })
        expect(identity.chains.map(({ alias }) => alias)).toEqual(['P', 'X', 'C'])
      }
    },
  )

  test.each(['avm', 'xvm'])('takes the native asset from %s.getAssetDescription', async (name) => {
    const { 'platform.getStakingAssetID': _, ...rest } = local
    const field = name === 'avm' ? 'assetID' : 'assetId'
    const { transport } = await serve({ ...rest, [`${name}.getAssetDescription AVAX`]: { [field]: asset } })
    expect(await identifyNetwork(transport)).toMatchObject({ nativeAssetId: asset, warnings: [] })
  })

  test('warns about facts that a bootstrapping node does not report', async () => {
    const { transport } = await serve({ ...local, 'info.getNetworkID': { networkID: '88003' } }, (path) =>
      path.startsWith('/ext/bc/') ? bootstrapping : undefined,
    )
    const identity = await identifyNetwork(transport)
    expect(identity).toMatchObject({ network: 'network-88003', hrp: 'custom', nativeAssetId: null })
    expect(identity.warnings).toEqual([expect.stringContaining('native asset')])
  })

  test('takes chain ids from platform.getBlockchains and leaves out unknown chains', async () => {
    const { 'info.getBlockchainID X': _, 'info.getBlockchainID C': __, 'info.upgrades': ___, ...rest } = local
    const { transport } = await serve(rest)
    const identity = await identifyNetwork(transport)
    expect(identity.chains.map(({ blockchainId }) => blockchainId)).toEqual([primary, x, c])
    expect(identity).toMatchObject({ durangoTime: null, warnings: [expect.stringContaining('Durango')] })
    const bare = await serve({ 'info.getNetworkID': { networkID: '12345' } })
    const less = await identifyNetwork(bare.transport)
    expect(less.chains.map(({ alias }) => alias)).toEqual(['P'])
    expect(less.warnings).toHaveLength(4)
  })

  test('believes no contradiction that does not stay', async () => {
    const damaged = { blockchains: [{ ...local['platform.getBlockchains'].blockchains[0], id: asset }] }
    const replies: Reply[] = [{ body: JSON.stringify({ id: 4, result: damaged }) }]
    const { transport } = await serve(local, (_, body) => (body.includes('getBlockchains') ? replies.pop() : undefined))
    expect(await identifyNetwork(transport)).toMatchObject({ warnings: [] })
    expect(replies).toEqual([])
  })

  test('requires the network id for a node without /ext/info', async () => {
    const { transport } = await serve({}, () => ({ status: 404, body: '404 page not found' }))
    const error = (await identifyNetwork(transport).catch((reason: unknown) => reason)) as ConfigError
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({ code: 'config.network-unknown', exitCode: 2 })
    expect(error.hint).toMatch(/--network-id/)
    expect(await identifyNetwork(transport, { networkId: 5 })).toMatchObject({
      network: 'fuji',
      warnings: [expect.stringContaining('as configured')],
    })
  })

  test('tells a firewall from a node without /ext/info', async () => {
    const { transport } = await serve({}, () => ({
      status: 403,
      body: '<html><title>Attention Required!</title></html>',
    }))
    await expect(identifyNetwork(transport)).rejects.toMatchObject({ code: 'transport.blocked', exitCode: 3 })
    expect(await identifyNetwork(transport, { networkId: 5 })).toMatchObject({ network: 'fuji' })
  })

  test('refuses a node of another network, and an answer without a network id', async () => {
    const { transport } = await serve(local)
    await expect(identifyNetwork(transport, { networkId: 1 })).rejects.toThrow('belongs to local, not to mainnet')
    const other = await serve({ 'info.getNetworkID': { networkID: 'x' } })
    await expect(identifyNetwork(other.transport)).rejects.toThrow(TransportError)
  })

  test('treats a persistent fault as an error, not as a missing fact', async () => {
    const { transport } = await serve(local, (path) => (path === '/ext/bc/P' ? { status: 500 } : undefined))
    await expect(identifyNetwork(transport)).rejects.toMatchObject({ status: 500, details: { tries: 5 } })
  })
})

describe('readHealth', () => {
  const health = async (reply: Reply) => await readHealth((await serve({}, () => reply)).transport)

  test('reports a healthy node', async () => {
    expect(await health({ body: '{"checks":{},"healthy":true}' })).toEqual({ healthy: true, reason: '' })
  })

  test('names the failing checks of an unhealthy node, in the format of old and new releases', async () => {
    const checks = {
      C: { message: {} },
      bls: { error: 'wrong key', duration: 18446744073709551615n.toString() },
      'chains.default.bootstrapped': { error: { message: 'X-Chain not bootstrapped' } },
    }
    expect(await health({ status: 503, body: JSON.stringify({ checks, healthy: false }) })).toEqual({
      healthy: false,
      reason: 'bls: wrong key; chains.default.bootstrapped: X-Chain not bootstrapped',
    })
  })

  test('reports no health of an unhealthy node as a failure of its own, whatever it says', async () => {
    for (const said of ['-5', '[]', '"no"', '{"toString":1}', '18446744073709551615', `"${'x'.repeat(1000)}"`])
      for (const body of [
        said,
        `{"checks":${said}}`,
        `{"checks":{"C":${said}}}`,
        `{"checks":{"C":{"error":${said}}}}`,
      ]) {
        const { healthy, reason } = await health({ status: 503, body })
        expect({ healthy, isShort: reason.length < 400 }).toEqual({ healthy: false, isShort: true })
      }
  })

  test('reports the text of a 503 as the reason', async () => {
    expect(await health({ status: 503, body: 'not\nyet' })).toEqual({ healthy: false, reason: 'not yet' })
  })

  test('reports no failure when the node has no health API or does not answer', async () => {
    expect(await health({ status: 404 })).toMatchObject({ healthy: true, reason: expect.stringContaining('404') })
    const { server, transport } = await serve({})
    await server.close()
    expect(await readHealth(transport)).toMatchObject({ healthy: true, reason: expect.stringContaining('refused') })
  })
})
