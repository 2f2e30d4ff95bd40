import { expect, test } from 'vitest'
import { restChainsList } from '../../../pipelines/rest-chains.ts'
import { restEvmChains } from '../../../schemas/rest-tokens.ts'
import { testContext } from './reading.ts'

const decode = restChainsList({ network: 'fuji', subject: 'chains?feature=webhooks' })

test('chains decode with every field of the service, and an unknown field is reported', () => {
  const context = testContext()
  const chain = {
    chainId: '43113',
    status: 'OK',
    chainName: 'C',
    description: 'The C chain.',
    platformChainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
    subnetId: '11111111111111111111111111111111LpoYY',
    vmId: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6',
    vmName: 'EVM',
    explorerUrl: 'https://explorer.example',
    rpcUrl: 'https://rpc.example',
    wsUrl: 'wss://rpc.example',
    isTestnet: true,
    utilityAddresses: { multicall: `0x${'ED'.repeat(20)}` },
    networkToken: {
      name: 'Native',
      symbol: 'NAT',
      decimals: 18,
      logoUri: 'https://logo.example',
      description: 'Token.',
    },
    chainLogoUri: 'https://chain.example',
    private: false,
    enabledFeatures: ['nftIndexing', 'webhooks'],
    newField: 1,
  }
  const { rows, items, next } = decode({ chains: [chain] }, context)
  expect(rows.chains).toEqual([
    {
      network: 'fuji',
      chain_id: '43113',
      subject: 'chains?feature=webhooks',
      observation_id: 'observation-1',
      observed_at: 1_763_700_000_000_000n,
      chain_name: 'C',
      chain_status: 'OK',
      description: 'The C chain.',
      blockchain_id: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
      subnet_id: '11111111111111111111111111111111LpoYY',
      vm_id: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6',
      vm_name: 'EVM',
      explorer_url: 'https://explorer.example',
      rpc_url: 'https://rpc.example',
      ws_url: 'wss://rpc.example',
      is_testnet: true,
      utility_addresses: { multicall: `0x${'ed'.repeat(20)}` },
      network_token: {
        name: 'Native',
        symbol: 'NAT',
        decimals: 18,
        logo_uri: 'https://logo.example',
        description: 'Token.',
      },
      chain_logo_uri: 'https://chain.example',
      is_private: false,
      enabled_features: ['nftIndexing', 'webhooks'],
    },
  ])
  expect(Object.keys(rows.chains[0]!).sort()).toEqual(Object.keys(restEvmChains.columns).sort())
  expect(items).toEqual([{ key: '43113', time: null }])
  expect(next).toBeNull()
  expect(context.unknown).toEqual(['chains[].newField'])
})

test('a chain requires only its id', () => {
  expect(decode({ chains: [{ chainId: 1 }] }, testContext()).rows.chains[0]).toMatchObject({
    chain_id: '1',
    network_token: null,
    enabled_features: null,
  })
  expect(() => decode({ chains: [{}] }, testContext())).toThrow('The answer has no field chains[0].chainId.')
})
