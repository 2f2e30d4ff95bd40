import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeVmConfig = table({
  name: 'node_vm_config',
  comment: "The configuration of a node's EVM, of each time that it was asked (admin_getVMConfig).",
  key: ['network', 'blockchain_id', 'observation_id'],
  sortBy: ['blockchain_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  columns: {
    ...chainColumns,
    ...observationColumns,
    config: t.text('All settings, as JSON; the columns below repeat those that say what the node can be asked.'),
    eth_apis: t.list(t.text('Name.'), 'APIs that are on (eth-apis).', nullable),
    pruning_enabled: t.boolean('Whether old state is thrown away (pruning-enabled).', nullable),
    historical_proof_query_window: t.int64(
      'Blocks below the last accepted one whose state may be proved (historical-proof-query-window); 0: all.',
      nullable,
    ),
    api_max_blocks_per_request: t.int64(
      'Blocks that one eth_getLogs may look at (api-max-blocks-per-request); 0: any number.',
      nullable,
    ),
    batch_request_limit: t.int64('Calls that a batch may have (batch-request-limit); 0: any number.', nullable),
    rpc_gas_cap: t.u64('Gas that a call may use (rpc-gas-cap); 0: any amount.', nullable),
  },
})
export type NodeVmConfig = RowOf<typeof nodeVmConfig>
