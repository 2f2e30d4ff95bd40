import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainTexts, networkId } from '../../devnet/network/genesis.ts'
import { baseProfile, withProfileText } from '../../src/config/profiles.ts'
import { readProfile } from '../../src/config/read-config.ts'
import { networkName } from '../../src/sources/known-networks.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-profiles-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function profile(name: string, env: NodeJS.ProcessEnv = {}) {
  return readProfile(name, folder, env)
}

describe('a built-in profile', () => {
  test('devnet uses DEVNET_URL and has the chains of the simulated network', async () => {
    expect(await profile('devnet')).toMatchObject({ dataUrl: 'http://127.0.0.1:9650', metricsUrl: null, keyFile: null })
    const devnet = await profile('devnet', { DEVNET_URL: 'http://there:1' })
    expect(devnet.dataUrl).toBe('http://there:1')
    expect(devnet.chains).toEqual({ [networkName(networkId)]: chainTexts })
    expect(devnet.networks).toEqual({ [networkName(networkId)]: 'fuji' })
  })
  test('neutral has the names of the specification and no URL', async () => {
    expect(await profile('neutral')).toMatchObject({
      name: 'neutral',
      dataUrl: null,
      metricsUrl: null,
      keyHeader: 'x-service-api-key',
      getAddresses: 64,
      tpsPath: '/v1/avg_tps/{chainId}',
      signingSubnetFields: ['signingSubnetId'],
      unitsPerMinute: { data: null, metrics: null },
    })
  })
  test('public has the URLs, the key header, the limits and the prices of the public service', async () => {
    expect(await profile('public')).toMatchObject({
      name: 'public',
      dataUrl: 'https://data-api.avax.network',
      metricsUrl: 'https://metrics.avax.network',
      keyHeader: 'x-glacier-api-key',
      unitsPerMinute: { data: 6_000, metrics: 8_000 },
      signingSubnetFields: ['signingSubnet', 'signingSubnetId'],
      tpsPath: '/v2/chains/{chainId}/metrics/avgTps',
      weights: { data: { xl: 100, xxl: 200 }, metrics: { medium: 100, xl: 1_000, xxl: 3_000 } },
    })
  })
})

describe('a profile file', () => {
  test('overrides the neutral profile, and its paths are relative to it', async () => {
    writeFileSync(
      join(folder, 'own.yaml'),
      `data-url: \${PLACE:-http://here}\nkey-file: ./key\nweights: { data: { xl: 7 } }\nchains: { local: { P: one } }\n`,
    )
    const own = await profile('own.yaml')
    expect(own).toMatchObject({ name: 'own.yaml', dataUrl: 'http://here', keyFile: join(folder, 'key') })
    expect(own.weights.data).toEqual({ ...baseProfile('neutral', {}).weights.data, xl: 7 })
    expect(own.chains).toEqual({ local: { P: 'one' } })
    expect((await profile('own.yaml', { PLACE: 'http://there' })).dataUrl).toBe('http://there')
  })
  test.each([
    ['data-ulr: x', /wrong\.yaml:1:1: data-ulr is not known/, /data-url/],
    ['profile: devnet', /wrong\.yaml:1:1: profile is not known/, /./],
    ['api-key: open-sesame', /an API key does not belong/, /CHAINLAKE_API_KEY/],
    ['weights: { data: { xl: many } }', /wrong\.yaml:1:20: weights\.data\.xl: /, /./],
  ])('with %j is refused', async (text, message, hint) => {
    writeFileSync(join(folder, 'wrong.yaml'), text)
    await expect(profile('wrong.yaml')).rejects.toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    })
  })
  test('is refused if it does not exist', async () => {
    await expect(profile('nowhere.yaml')).rejects.toMatchObject({
      message: expect.stringMatching(/^The service profile .*nowhere\.yaml cannot be read\.$/),
      hint: expect.stringContaining('devnet, neutral, public'),
    })
  })
})

test('the configuration overrides the profile key by key', () => {
  const base = baseProfile('devnet', {})
  const joined = withProfileText(
    base,
    { 'units-per-minute': { data: 5 }, networks: { other: 'mainnet' }, chains: { local: { X: 'x' } } },
    (path) => path,
  )
  expect(joined.unitsPerMinute).toEqual({ data: 5, metrics: null })
  expect(joined.networks).toEqual({ ...base.networks, other: 'mainnet' })
  expect(joined.chains['local']).toEqual({ ...base.chains['local'], X: 'x' })
  expect(joined.weights).toEqual(base.weights)
})
