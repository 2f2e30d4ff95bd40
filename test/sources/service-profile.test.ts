import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { serviceSettings } from '../../src/sources/service-profile.ts'
import { profileAt } from './service-profile-at.ts'

const settings = serviceSettings(profileAt('http://127.0.0.1:9650'))

describe('the name of a network in URL paths', () => {
  test.each([
    ['mainnet', 'mainnet'],
    ['fuji', 'fuji'],
    ['testnet', 'testnet'],
    ['local', 'mainnet'],
  ])('for %s is %s', (network, name) => {
    expect(settings.networkInPath(network)).toBe(name)
  })

  test('is the one in the profile, before any other rule', () => {
    const changed = serviceSettings({ ...profileAt('http://127.0.0.1:9650'), networks: { fuji: 'testnet' } })
    expect(changed.networkInPath('fuji')).toBe('testnet')
  })

  test.each(['other', 'constructor', ''])('for %j is unknown', (network) => {
    expect(() => settings.networkInPath(network)).toThrow(ConfigError)
    expect(() => settings.networkInPath(network)).toThrow(
      expect.objectContaining({ details: { known: 'mainnet, fuji, testnet, local' } }),
    )
  })
})

describe('the blockchain', () => {
  test.each([
    ['mainnet', 'p-chain', 'P', '11111111111111111111111111111111LpoYY'],
    ['mainnet', 'x-chain', 'X', '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'],
    ['fuji', 'c-chain', 'C', 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'],
    ['testnet', 'x-chain', 'X', '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'],
    ['local', 'x-chain', 'X', 'xid'],
    ['local', 'p-chain', 'P', '11111111111111111111111111111111LpoYY'],
  ])('on %s with the name %s is %s with its id, and the id finds the same blockchain', (network, name, alias, id) => {
    expect(settings.blockchain(network, name)).toEqual({ alias, id, pathName: name })
    expect(settings.blockchain(network, id)).toEqual({ alias, id, pathName: id })
  })

  test.each(['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', 'P', 'toString'])(
    'on fuji with the name %s is unknown, and the error names the known ones',
    (name) => {
      expect(() => settings.blockchain('fuji', name)).toThrow(
        expect.objectContaining({
          code: 'config.blockchain',
          hint: expect.stringContaining('p-chain, x-chain, c-chain'),
        }),
      )
    },
  )

  test('without an id in the profile is refused with a hint', () => {
    expect(() => settings.blockchain('local', 'c-chain')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('chains: { local: { C: … } }') }),
    )
  })
})
