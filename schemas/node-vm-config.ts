import { identity, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeVmConfig = table({
  name: 'node_vm_config',
  comment: 'Configuration of the EVM of a node (admin_getVMConfig). One row per observation.',
  key: ['network', 'blockchain_id', 'observation_id'],
  sortBy: ['blockchain_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  columns: {
    ...chainColumns,
    ...observationColumns,
    config: t.text('All settings as JSON. The columns below repeat those that limit requests.').partlyUnproven(),
    eth_apis: t.list(t.text('Name.'), 'Enabled APIs (eth-apis).', nullable),
    pruning_enabled: t.boolean('Whether the node deletes old state (pruning-enabled).', nullable),
    historical_proof_query_window: t.int64(
      'Number of blocks below the last accepted one for which the node returns proofs (historical-proof-query-window); 0: all.',
      nullable,
    ),
    api_max_blocks_per_request: t.int64(
      'Maximum number of blocks per eth_getLogs request (api-max-blocks-per-request); 0: unlimited.',
      nullable,
    ),
    batch_request_limit: t.int64('Maximum number of calls per batch (batch-request-limit); 0: unlimited.', nullable),
    rpc_gas_cap: t.u64('Maximum gas per call (rpc-gas-cap); 0: unlimited.', nullable),
  },
})
