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
    chain_id: t.address('EVM chain id.'),
    ...observationColumns,
    chain_name: t.text('Name of the chain.', nullable),
    chain_status: t.text('Whether the service is available for the chain: OK or UNAVAILABLE.', nullable),
    description: t.text('Description.', nullable),
    blockchain_id: t.address('Blockchain id of the chain (CB58).', nullable),
    subnet_id: t.address('Id of the subnet that validates the chain.', nullable),
    vm_id: t.address('Id of the virtual machine of the chain.', nullable),
    vm_name: t.text('Kind of the virtual machine: EVM, BITCOIN or ETHEREUM.', nullable),
    explorer_url: t.text('URL of the block explorer of the chain.', nullable),
    rpc_url: t.text('URL of the JSON-RPC over HTTP.', nullable),
    ws_url: t.text('URL of the JSON-RPC over WebSocket.', nullable),
    is_testnet: t.boolean('Whether the chain belongs to a test network.', nullable),
    utility_addresses: t.struct(
      { multicall: t.address('Multicall contract.', nullable) },
      'Addresses of utility contracts.',
      nullable,
    ),
    network_token: t.struct(
      {
        name: t.text('Name.', nullable),
        symbol: t.text('Symbol.', nullable),
        decimals: t.int64('Decimal places.', nullable),
        logo_uri: t.text('URL of the token logo.', nullable),
        description: t.text('Description.', nullable),
      },
      'Native token of the chain.',
      nullable,
    ),
    chain_logo_uri: t.text('URL of the chain logo.', nullable),
    is_private: t.boolean('Whether the chain is private.', nullable),
    enabled_features: t.list(
      t.text('Such as nftIndexing, webhooks, teleporter.'),
      'Features that the service offers for the chain.',
      nullable,
    ),
  },
})
export type RestEvmChain = RowOf<typeof restEvmChains>
