import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const nodeEvmState = table({
  name: 'node_evm_state',
  comment:
    'Current state of an EVM chain, as a node reports it: fees of the next block, ids, version, upgrades. One row per observation.',
  key: ['network', 'chain_id', 'observation_id'],
  sortBy: ['chain_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  unproven: {
    partly: ['base_fee', 'base_fee_raw', 'max_priority_fee_per_gas', 'max_priority_fee_per_gas_raw'],
  },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits (eth_chainId).'),
    ...observationColumns,
    ...wideColumns('base_fee', 'Base fee of the next block, in wei per gas (eth_baseFee).'),
    ...wideColumns(
      'max_priority_fee_per_gas',
      'Suggested priority fee for the next block, in wei per gas (eth_maxPriorityFeePerGas).',
    ),
    net_version: t.text('EVM network id (net_version).', nullable).unproven(),
    client_version: t.text('Version of the client (web3_clientVersion).', nullable).unproven(),
    chain_config: t
      .text('Network upgrades with their blocks and times, as JSON (eth_getChainConfig).', nullable)
      .unproven(),
  },
})
export type NodeEvmState = RowOf<typeof nodeEvmState>
