import { identity, type RowOf, t } from '../src/define/index.ts'
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
  lasting: ['blockchain_id', 'subnet_id', 'vm_id', 'is_testnet'],
  coverage: { filters: { feature: null } },
  unproven: {
    never: [
      'chain_id',
      'chain_name',
      'chain_status',
      'description',
      'blockchain_id',
      'subnet_id',
      'vm_id',
      'vm_name',
      'explorer_url',
      'rpc_url',
      'ws_url',
      'is_testnet',
      'utility_addresses',
      'network_token',
      'chain_logo_uri',
      'is_private',
      'enabled_features',
    ],
  },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id.').at('chainId', 'word'),
    ...observationColumns,
    chain_name: t.text('Name of the chain.', nullable).at('chainName'),
    chain_status: t
      .text('Whether the service is available for the chain: OK or UNAVAILABLE.', nullable)
      .at('status', 'word'),
    description: t.text('Description.', nullable).at('description'),
    blockchain_id: t.address('Blockchain id of the chain (CB58).', nullable).at('platformChainId', 'id'),
    subnet_id: t.address('Id of the subnet that validates the chain.', nullable).at('subnetId', 'id'),
    vm_id: t.address('Id of the virtual machine of the chain.', nullable).at('vmId', 'word'),
    vm_name: t.text('Kind of the virtual machine: EVM, BITCOIN or ETHEREUM.', nullable).at('vmName', 'word'),
    explorer_url: t.text('URL of the block explorer of the chain.', nullable).at('explorerUrl'),
    rpc_url: t.text('URL of the JSON-RPC over HTTP.', nullable).at('rpcUrl'),
    ws_url: t.text('URL of the JSON-RPC over WebSocket.', nullable).at('wsUrl'),
    is_testnet: t.boolean('Whether the chain belongs to a test network.', nullable).at('isTestnet'),
    utility_addresses: t
      .struct(
        { multicall: t.address('Multicall contract.', nullable).at('multicall') },
        'Addresses of utility contracts.',
        nullable,
      )
      .at('utilityAddresses'),
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
      .at('networkToken'),
    chain_logo_uri: t.text('URL of the chain logo.', nullable).at('chainLogoUri'),
    is_private: t.boolean('Whether the chain is private.', nullable).at('private'),
    enabled_features: t
      .list(
        t.text('Such as nftIndexing, webhooks, teleporter.'),
        'Features that the service offers for the chain.',
        nullable,
      )
      .at('enabledFeatures', 'word'),
  },
})
export type RestEvmChain = RowOf<typeof restEvmChains>
