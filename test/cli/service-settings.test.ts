import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { profileSettings, serviceProfile, shownProfile } from '../../src/cli/service-settings.ts'
import type { Config } from '../../src/config/schema.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-service-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type ServiceText = NonNullable<Config['service']>

function settings(service: ServiceText, flags: object = {}, env: NodeJS.ProcessEnv = {}) {
  return profileSettings({ ...flags }, { service, configPath: join(folder, 'chainlake.yaml') }, env)
}

async function ready(service: ServiceText, env: NodeJS.ProcessEnv = {}) {
  return serviceProfile(await settings(service, {}, env), env)
}

describe('the URL of the service', () => {
  test('comes from flags, else the file, else the profile, and the metrics URL defaults to the data URL', async () => {
    expect(await ready({})).toMatchObject({ name: 'devnet', dataUrl: 'http://127.0.0.1:9650', key: null })
    expect(await ready({ 'data-url': 'http://a' })).toMatchObject({ dataUrl: 'http://a', metricsUrl: 'http://a' })
    const typed = await settings({ 'data-url': 'http://a' }, { 'data-url': 'http://b', 'metrics-url': 'http://c' })
    expect(await serviceProfile(typed, {})).toMatchObject({ dataUrl: 'http://b', metricsUrl: 'http://c' })
  })
  test('is required if the profile has none, and the error has a hint', async () => {
    await expect(ready({ profile: 'neutral' })).rejects.toMatchObject({
      message: 'The profile neutral has no URL of the service.',
      hint: expect.stringContaining('--data-url'),
    })
  })
  test('is refused if malformed, and the error names its source', async () => {
    await expect(settings({ 'data-url': 'nonsense' })).rejects.toThrow('service.data-url: The URL is malformed.')
    await expect(settings({}, { 'metrics-url': 'x' })).rejects.toThrow('--metrics-url: The URL is malformed.')
    // Without http:// the user is the scheme, and the password is in the path.
    await expect(settings({ 'data-url': 'me:sesame@host' })).rejects.toMatchObject({ details: { url: '(not a URL)' } })
  })
  test('can come from a profile file relative to the configuration, or for a flag to the working folder', async () => {
    writeFileSync(join(folder, 'own.yaml'), 'data-url: http://own\n')
    expect((await settings({ profile: './own.yaml' })).dataUrl).toBe('http://own')
    await expect(settings({}, { 'service-profile': './own.yaml' })).rejects.toThrow(/cannot be read/)
  })
})

describe('the API key', () => {
  test('comes from CHAINLAKE_API_KEY, else the named variable, else the file', async () => {
    writeFileSync(join(folder, 'key'), '  from-file\n')
    const service = { 'key-env': 'OWN', 'key-file': './key' }
    const env = { CHAINLAKE_API_KEY: 'direct', OWN: 'named' }
    expect((await ready(service, env)).key).toBe('direct')
    expect((await ready(service, { OWN: 'named' })).key).toBe('named')
    expect((await ready({ 'key-file': './key' })).key).toBe('from-file')
  })
  test.each([
    [{ 'key-env': 'OWN' }, {}, /variable OWN, which key-env names, is not set/],
    [{ 'key-file': './none' }, {}, /The key file .*none cannot be read/],
    [{}, { CHAINLAKE_API_KEY: 'open sesame' }, /^CHAINLAKE_API_KEY does not hold an API key: a key is one word\.$/],
    [{}, { CHAINLAKE_API_KEY: ' ' }, /it is empty/],
    [{}, { CHAINLAKE_API_KEY: 'open\nsesame' }, /a key is one word/],
  ])('from %j with %j is refused with an error that does not show it', async (service, env, message) => {
    const error = await ready(service, env).catch((cause) => cause)
    expect(error.message).toMatch(message)
    expect(JSON.stringify([error.message, error.details, error.hint])).not.toContain('sesame')
  })
  test('is never shown, only its source', async () => {
    const env = { CHAINLAKE_API_KEY: 'open-sesame' }
    const shown = shownProfile(await settings({ 'data-url': 'http://u:pass@a/x?token=abcd' }, {}, env), env)
    expect(shown).toMatchObject({ keyFrom: 'CHAINLAKE_API_KEY', dataUrl: 'http://a/x?…' })
    expect(JSON.stringify(shown)).not.toMatch(/sesame|pass|abcd/)
  })
})
