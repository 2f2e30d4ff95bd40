import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeEvmProofs = table({
  name: 'node_evm_proofs',
  comment:
    'What an account of an EVM chain held at a block, with the proofs that it was so (eth_getProof). Stored once an account and block, with the slots that were asked for first.',
  key: ['network', 'chain_id', 'address', 'block_number'],
  sortBy: ['chain_id', 'block_number', 'address'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits.'),
    address: t.address('Account.'),
    block_number: t.int64('Number of the block.'),
    block_hash: t.hex('Hash of the block.'),
    block_time: t.timestamp('Time of the block (UTC).', nullable),
    balance: t.decimal38('Balance in wei; null when over 38 digits.', nullable),
    balance_raw: t.text('Balance in wei as text, always exact.'),
    nonce: t.u64('Nonce.'),
    code_hash: t.hex('Hash of the code.'),
    storage_hash: t.hex('Root of the storage.'),
    account_proof: t.list(t.blob('Node, RLP.'), 'Nodes of the state trie from the root to the account.'),
    storage_proofs: t.list(
      t.struct(
        {
          slot: t.hex('Slot, without leading zeros.'),
          slot_value: t.hex('What it holds, as a quantity; 0x0 when nothing.'),
          proof: t.list(t.blob('Node, RLP.'), 'Nodes of the storage trie from the root to the slot.'),
        },
        'A slot.',
      ),
      'Slots that were asked for.',
    ),
  },
})
export type NodeEvmProof = RowOf<typeof nodeEvmProofs>
