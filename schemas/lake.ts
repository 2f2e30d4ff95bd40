import { identity, nullable, t } from '../src/define/index.ts'
import { acceptedColumns, networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const chains = table({
  name: 'chains',
  comment: 'One row per chain of the Primary Network, for each exported network.',
  key: ['network', 'blockchain_id'],
  sortBy: ['blockchain_id'],
  columns: {
    ...networkColumn,
    blockchain_id: t.cb58('Id of the chain.'),
    alias: t.text('P, X or C.'),
    vm_id: t.cb58('Id of the virtual machine that the chain runs; null where no source states it.', nullable),
    subnet_id: t.cb58('Id of the subnet that validates the chain.'),
    native_asset_id: t.cb58(
      'Asset id of the native token (AVAX); null where neither the built-in constants nor the node state it.',
      nullable,
    ),
  },
})

export const containers = table({
  name: 'containers',
  comment: 'Raw containers from the Index API. Their checksum was verified and removed. Written with --raw.',
  key: ['network', 'chain', 'container_index'],
  sortBy: ['container_index'],
  partitionBy: [identity('network'), identity('chain')],
  rowGroup: 'raw',
  columns: {
    ...networkColumn,
    chain: t.text('P, X, C, X/tx, X/vtx or a blockchain id.'),
    container_index: t.int64(
      'Position in a complete index of the chain, from 0. For a block this is height − 1, also when the index of the node starts at a later block.',
    ),
    container_id: t.cb58('Id of the container, recomputed from its bytes.'),
    ...acceptedColumns,
    bytes: t.blob('Bytes of the container.'),
  },
})

export const observations = table({
  name: 'observations',
  comment:
    'One row per subject of each complete observation, also when nothing was found. Incomplete observations are left out.',
  key: ['network', 'pipeline', 'subject', 'observation_id'],
  sortBy: ['pipeline', 'subject'],
  columns: {
    ...networkColumn,
    pipeline: t.text('Pipeline that made the observation.'),
    subject: t.address('What was observed completely, such as a wallet on a chain.').partlyUnproven(),
    observation_id: t.address('Id of the observation.').partlyUnproven(),
    observed_at: t.timestamp('When the observation started (UTC), before its first request.'),
    completed_at: t.timestamp('When its last answer arrived (UTC).').unproven(),
  },
})
