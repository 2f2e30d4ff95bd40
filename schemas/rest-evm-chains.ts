import { identity, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const restEvmChains = table({
  name: 'rest_evm_chains',
  comment: 'EVM chains that the REST service lists. One row per chain and observation.',
  key: ['network', 'chain_id', 'observation_id'],
  sortBy: ['chain_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  coverage: { filters: { feature: null } },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id.').at('chainId', 'word').unproven(),
    ...observationColumns,
    chain_name: t.text('Name of the chain.', nullable).at('chainName').unproven(),
    chain_status: t
      .text('Whether the service is available for the chain: OK or UNAVAILABLE.', nullable)
      .at('status', 'word')
      .unproven(),
    description: t.text('Description.', nullable).at('description').unproven(),
    blockchain_id: t
      .address('Blockchain id of the chain (CB58).', nullable)
      .at('platformChainId', 'id')
      .lasting()
      .unproven(),
    subnet_id: t
      .address('Id of the subnet that validates the chain.', nullable)
      .at('subnetId', 'id')
      .lasting()
      .unproven(),
    vm_id: t.address('Id of the virtual machine of the chain.', nullable).at('vmId', 'word').lasting().unproven(),
    vm_name: t.text('Kind of the virtual machine: EVM, BITCOIN or ETHEREUM.', nullable).at('vmName', 'word').unproven(),
    explorer_url: t.text('URL of the block explorer of the chain.', nullable).at('explorerUrl').unproven(),
    rpc_url: t.text('URL of the JSON-RPC over HTTP.', nullable).at('rpcUrl').unproven(),
    ws_url: t.text('URL of the JSON-RPC over WebSocket.', nullable).at('wsUrl').unproven(),
    is_testnet: t
      .boolean('Whether the chain belongs to a test network.', nullable)
      .at('isTestnet')
      .lasting()
      .unproven(),
    utility_addresses: t
      .struct(
        { multicall: t.address('Multicall contract.', nullable).at('multicall') },
        'Addresses of utility contracts.',
        nullable,
      )
      .at('utilityAddresses')
      .unproven(),
    network_token: t
      .struct(
        {
          name: t.text('Name.', nullable).at('name'),
          symbol: t.text('Symbol.', nullable).at('symbol'),
          decimals: t.int64('Decimal places.', nullable).at('decimals'),
          logo_uri: t.text('URL of the token logo.', nullable).at('logoUri'),
          description: t.text('Description.', nullable).at('description'),
        },
        'Native token of the chain.',
        nullable,
      )
      .at('networkToken')
      .unproven(),
    chain_logo_uri: t.text('URL of the chain logo.', nullable).at('chainLogoUri').unproven(),
    is_private: t.boolean('Whether the chain is private.', nullable).at('private').unproven(),
    enabled_features: t
      .list(
        t.text('Such as nftIndexing, webhooks, teleporter.'),
        'Features that the service offers for the chain.',
        nullable,
      )
      .at('enabledFeatures', 'word')
      .unproven(),
  },
})
