import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const restEvmChains = table({
  name: 'rest_evm_chains',
  comment: 'One row per EVM chain that the REST service knows, of each time that its list was read.',
  key: ['network', 'chain_id', 'observation_id'],
  sortBy: ['chain_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  coverage: { filters: { feature: null } },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id.'),
    ...observationColumns,
    chain_name: t.text('Name of the chain.', nullable),
    chain_status: t.text('Whether the service serves the chain: OK, UNAVAILABLE.', nullable),
    description: t.text('Description.', nullable),
    blockchain_id: t.address('Id of the chain on the primary network.', nullable),
    subnet_id: t.address('Id of its subnet.', nullable),
    vm_id: t.address('Id of its virtual machine.', nullable),
    vm_name: t.text('Kind of its virtual machine: EVM, BITCOIN, ETHEREUM.', nullable),
    explorer_url: t.text('Explorer of the chain.', nullable),
    rpc_url: t.text('JSON-RPC over HTTP.', nullable),
    ws_url: t.text('JSON-RPC over WebSocket.', nullable),
    is_testnet: t.boolean('Whether it is a chain of a test network.', nullable),
    utility_addresses: t.struct(
      { multicall: t.address('Contract that makes several calls at once.', nullable) },
      'Contracts that many clients use.',
      nullable,
    ),
    network_token: t.struct(
      {
        name: t.text('Name.', nullable),
        symbol: t.text('Symbol.', nullable),
        decimals: t.int64('Decimal places.', nullable),
        logo_uri: t.text('Where its logo is.', nullable),
        description: t.text('Description.', nullable),
      },
      'Native token of the chain.',
      nullable,
    ),
    chain_logo_uri: t.text('Where the logo of the chain is.', nullable),
    is_private: t.boolean('Whether the chain is private.', nullable),
    enabled_features: t.list(
      t.text('Such as nftIndexing, webhooks, teleporter.'),
      'What the service offers for the chain.',
      nullable,
    ),
  },
})
export type RestEvmChain = RowOf<typeof restEvmChains>
