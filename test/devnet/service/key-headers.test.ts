import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { builtInProfiles } from '../../../src/config/profiles.ts'
import { readProfile } from '../../../src/config/read-config.ts'
import { createServiceClient } from '../../../src/sources/service-client.ts'
import { hostsOf } from '../../../src/sources/service-profile.ts'
import { requestOf, serviceRoutes } from '../../../src/sources/service-routes.ts'

let node: Devnet
beforeAll(async () => {
  const service = { keys: { good: 1_000_000 }, revokedKeys: ['old'] }
  node = await startDevnet({ blocks: 5, service, compress: true })
})
afterAll(() => node.close())

test.each(builtInProfiles)('a wrong key is refused in the header of the profile %s', async (name) => {
  const { keyEnv: _, keyFile: __, ...profile } = await readProfile(name, '.', {})
  const answerTo = async (key: string | null) => {
    const client = createServiceClient({ hosts: hostsOf({ ...profile, dataUrl: node.url, metricsUrl: node.url, key }) })
    const answer = client.ask(requestOf(serviceRoutes.chains, {}), { parse: () => 'fine' })
    return answer.catch(({ code, details, hint }) => ({ code, answer: details.answer, hint })).finally(client.close)
  }
  expect([await answerTo('good'), await answerTo(null)]).toEqual(['fine', 'fine'])
  expect(await answerTo('bad')).toEqual({
    code: 'transport.unauthorized',
    answer: 'The API key is unknown',
    hint: expect.stringContaining(profile.keyHeader),
  })
  expect(await answerTo('old')).toMatchObject({ code: 'transport.forbidden', hint: expect.stringMatching(/^The key /) })
})

test('the keys in both headers are checked', async () => {
  const status = async (headers: Record<string, string>) => (await fetch(`${node.url}/v1/chains`, { headers })).status
  expect(await status({ 'x-service-api-key': 'good', 'x-glacier-api-key': 'good' })).toBe(200)
  expect(await status({ 'x-service-api-key': 'good', 'x-glacier-api-key': 'bad' })).toBe(401)
})

test('large answers are compressed for clients that accept it', async () => {
  const encoding = async (path: string, accepted: string) => {
    const answer = await fetch(node.url + path, { headers: { 'accept-encoding': accepted } })
    expect(Array.isArray(((await answer.json()) as { utxos: unknown[] }).utxos)).toBe(true)
    return answer.headers.get('content-encoding')
  }
  const utxos = '/v1/networks/fuji/blockchains/p-chain/utxos?pageSize='
  expect(await encoding(`${utxos}100`, 'gzip')).toBe('gzip')
  expect(await encoding(`${utxos}100`, 'identity')).toBeNull()
  expect(await encoding(`${utxos}1`, 'gzip')).toBeNull()
})
