import { identity, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeEvmProofs = table({
  name: 'node_evm_proofs',
  comment:
    'Balance, nonce, code hash and storage slots of an EVM account at a block, with Merkle proofs (eth_getProof). One row per account and block, with the slots of the first request.',
  key: ['network', 'chain_id', 'address', 'block_number'],
  sortBy: ['chain_id', 'block_number', 'address'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits.'),
    address: t.address('Address of the account.').partlyUnproven(),
    block_number: t.int64('Number of the block.').partlyUnproven(),
    block_hash: t.hex('Hash of the block.').partlyUnproven(),
    block_time: t.timestamp('Time of the block (UTC).', nullable).partlyUnproven(),
    balance: t.decimal38('Balance in wei; null when it has more than 38 digits.', nullable).partlyUnproven(),
    balance_raw: t.text('Balance in wei as text with all digits.').partlyUnproven(),
    nonce: t.u64('Nonce of the account.').partlyUnproven(),
    code_hash: t.hex('Hash of the code of the account.').partlyUnproven(),
    storage_hash: t.hex('Root of the storage trie of the account.').partlyUnproven(),
    account_proof: t
      .list(t.blob('Node, RLP.'), 'Nodes of the state trie from the root to the account.')
      .partlyUnproven(),
    storage_proofs: t
      .list(
        t.struct(
          {
            slot: t.hex('Slot, without leading zeros.'),
            slot_value: t.hex('Value of the slot as a hex quantity; 0x0 when empty.'),
            proof: t.list(t.blob('Node, RLP.'), 'Nodes of the storage trie from the root to the slot.'),
          },
          'A slot.',
        ),
        'Storage slots that were requested.',
      )
      .partlyUnproven(),
  },
})
export type NodeEvmProof = RowOf<typeof nodeEvmProofs>
