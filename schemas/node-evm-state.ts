import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const nodeEvmState = table({
  name: 'node_evm_state',
  comment:
    'What a node says of an EVM chain as it is, of each time that it was asked: fees of the next block, ids, version, upgrades.',
  key: ['network', 'chain_id', 'observation_id'],
  sortBy: ['chain_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits (eth_chainId).'),
    ...observationColumns,
    ...wideColumns('base_fee', 'Base fee of the next block in wei (eth_baseFee).'),
    ...wideColumns(
      'max_priority_fee_per_gas',
      'Priority fee that is thought to be needed for the next block, in wei (eth_maxPriorityFeePerGas).',
    ),
    net_version: t.text('EVM network id (net_version).', nullable),
    client_version: t.text('Version of the client (web3_clientVersion).', nullable),
    chain_config: t.text('Upgrades with their blocks and times, as JSON (eth_getChainConfig).', nullable),
  },
})
export type NodeEvmState = RowOf<typeof nodeEvmState>
