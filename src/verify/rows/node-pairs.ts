import { cAtomicOutputs } from '../../../schemas/c-atomic-outputs.ts'
import { cAtomicTransactions } from '../../../schemas/c-atomic-transactions.ts'
import { nodeAssets } from '../../../schemas/node-assets.ts'
import { nodeBlockchains } from '../../../schemas/node-blockchains.ts'
import { nodeBlocks } from '../../../schemas/node-blocks.ts'
import { nodeDelegators } from '../../../schemas/node-delegators.ts'
import { nodeL1Validators } from '../../../schemas/node-l1-validators.ts'
import { nodeTransactions } from '../../../schemas/node-transactions.ts'
import { nodeUtxos } from '../../../schemas/node-utxos.ts'
import { nodeValidators } from '../../../schemas/node-validators.ts'
import { pBlocks } from '../../../schemas/p-blocks.ts'
import { pOutputs } from '../../../schemas/p-outputs.ts'
import { pStateOutputs } from '../../../schemas/p-state-outputs.ts'
import { pTransactions } from '../../../schemas/p-transactions.ts'
import { pValidations } from '../../../schemas/p-validations.ts'
import { xAssets } from '../../../schemas/x-assets.ts'
import { xBlocks } from '../../../schemas/x-blocks.ts'
import { xOutputs } from '../../../schemas/x-outputs.ts'
import { xStateOutputs } from '../../../schemas/x-state-outputs.ts'
import { xTransactions } from '../../../schemas/x-transactions.ts'
import type { Table } from '../../define/index.ts'
import {
  network,
  owners,
  ownTime,
  pairOf,
  type SourcePair,
  same,
  secondsOf,
  stakes,
  utxo,
} from '../lake/pair-values.ts'

const nodeUtxo = { ...utxo, ...same('tx_id'), ...owners }

/** Answers of nodes, each paired with the rows that were decoded from blocks. */
export const nodePairs: readonly SourcePair[] = [
  {
    own: { table: pValidations, key: [network, 'tx_id'], where: stakes },
    other: { table: nodeValidators, key: [network, 'tx_id'] },
    values: same('node_id', 'subnet_id', 'weight', 'end_time', 'delegation_shares', 'bls_public_key'),
  },
  {
    own: { table: pValidations, key: [network, 'tx_id'], where: stakes },
    other: { table: nodeDelegators, key: [network, 'tx_id'] },
    values: same('node_id', 'subnet_id', 'weight', 'end_time'),
  },
  {
    own: {
      table: pValidations,
      key: [network, 'validation_id'],
      where: "action = 'add' AND validation_id IS NOT NULL",
    },
    other: { table: nodeL1Validators, key: [network, 'validation_id'] },
    values: same('node_id', 'subnet_id', 'bls_public_key'),
  },
  {
    own: { table: pTransactions, key: [network, 'tx_id'], where: "tx_type = 'CreateChainTx'" },
    other: { table: nodeBlockchains, key: [network, 'blockchain_id'] },
    values: same('subnet_id', 'vm_id', 'blockchain_name'),
  },
  {
    own: { table: xAssets, key: [network, 'blockchain_id', 'asset_id'] },
    other: { table: nodeAssets, key: [network, 'blockchain_id', 'asset_id'] },
    values: same('name', 'symbol', 'denomination'),
  },
  {
    own: { table: pBlocks, key: [network, 'block_id'] },
    other: { table: nodeBlocks, key: [network, 'block_id'] },
    values: {
      ...same('height', 'parent_id', 'block_type', 'tx_count'),
      blockchain_id: ["'11111111111111111111111111111111LpoYY'", 'blockchain_id'],
      block_time: [ownTime, secondsOf('block_time')],
    },
  },
  {
    own: { table: xBlocks, key: [network, 'block_id'] },
    other: { table: nodeBlocks, key: [network, 'block_id'] },
    values: same('blockchain_id', 'height', 'parent_id', 'block_time', 'tx_count'),
  },
  {
    own: { table: xTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    other: { table: nodeTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    values: { tx_type: pairOf('tx_type'), tx_status: ["'Accepted'", 'tx_status'] },
  },
  {
    own: { table: cAtomicTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    other: { table: nodeTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    values: { tx_type: pairOf('tx_type'), tx_status: ["'Accepted'", 'tx_status'], height: ['block_number', 'height'] },
  },
  ...[pOutputs, pStateOutputs].map((table) => listedByNode(table, same('stakeable_locktime'))),
  ...[xOutputs, xStateOutputs].map((table) => listedByNode(table, same('output_type', 'group_id', 'payload'))),
  {
    ...listedByNode(cAtomicOutputs, {}),
    own: { table: cAtomicOutputs, key: [network, 'utxo_id'], where: "kind = 'export'" },
  },
]

function listedByNode(table: Table, values: SourcePair['values']): SourcePair {
  return {
    own: { table, key: [network, 'utxo_id'] },
    other: { table: nodeUtxos, key: [network, 'utxo_id'] },
    values: { ...nodeUtxo, ...values },
  }
}
