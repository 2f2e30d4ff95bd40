import { describe, expect, test } from 'vitest'
import type { NetworkFacts } from '../../src/catalog/catalog.ts'
import { createLake, newLakeDir, tables } from './lake.ts'

const local: NetworkFacts = {
  network: 'local',
  networkId: 12345,
  hrp: 'local',
  chains: [
    { alias: 'P', blockchainId: 'p-chain', vmId: null, subnetId: 'primary' },
    { alias: 'X', blockchainId: 'x-chain', vmId: 'avm', subnetId: 'primary' },
  ],
  nativeAssetId: null,
  durangoTime: null,
}

describe('the networks of a lake', () => {
  test('are stored separately by name, and unknown facts are filled in later', async () => {
    const catalog = await createLake({ folder: newLakeDir() }, tables)
    expect(await catalog.network('local')).toBeNull()
    await catalog.recordNetwork(local)
    await catalog.recordNetwork(local)
    expect(await catalog.network('local')).toEqual(local)
    await catalog.recordNetwork({ ...local, network: 'fuji', networkId: 5, hrp: 'fuji', chains: [local.chains[0]!] })
    const chains: NetworkFacts['chains'] = [
      { alias: 'C', blockchainId: 'c-chain', vmId: 'evm', subnetId: 'primary' },
      { alias: 'P', blockchainId: 'p-chain', vmId: 'platform', subnetId: 'primary' },
    ]
    await catalog.recordNetwork({ ...local, chains, nativeAssetId: 'asset', durangoTime: 1_700_000_000 })
    await catalog.recordNetwork(local)
    expect(await catalog.network('local')).toEqual({
      ...local,
      chains: [...chains, local.chains[1]],
      nativeAssetId: 'asset',
      durangoTime: 1_700_000_000,
    })
    expect((await catalog.network('fuji'))?.networkId).toBe(5)
  })

  const known: NetworkFacts = { ...local, nativeAssetId: 'asset', durangoTime: 5 }
  test.each<[string, NetworkFacts]>([
    ['network', { ...known, network: 'fuji' }],
    ['network id', { ...known, networkId: 54321 }],
    ['address prefix', { ...known, hrp: 'other' }],
    ['native asset', { ...known, nativeAssetId: 'other' }],
    ['Durango time', { ...known, durangoTime: 6 }],
    ['id of chain X', { ...known, chains: [{ alias: 'X', blockchainId: 'other', vmId: 'avm', subnetId: 'primary' }] }],
    [
      'VM of chain X',
      { ...known, chains: [{ alias: 'X', blockchainId: 'x-chain', vmId: 'other', subnetId: 'primary' }] },
    ],
  ])('cannot change their %s', async (what, facts) => {
    const catalog = await createLake({ folder: newLakeDir() }, tables)
    await catalog.recordNetwork(known)
    await expect(catalog.recordNetwork(facts)).rejects.toMatchObject({
      name: 'OtherSourceError',
      exitCode: 5,
      details: expect.objectContaining({
        [`${what} in the lake`]: expect.anything(),
        [`${what} at the node`]: expect.anything(),
      }),
    })
    expect(await catalog.network('local')).toEqual(known)
  })
})
