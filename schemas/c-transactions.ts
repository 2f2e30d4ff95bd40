import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { cBlockColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const cTransactions = table({
  name: 'c_transactions',
  comment:
    'One row per EVM transaction in an accepted block of the C-Chain. Senders are in c_senders. Receipts are not in containers: use evm_transactions.',
  key: ['network', 'blockchain_id', 'block_number', 'transaction_index'],
  sortBy: ['block_number', 'transaction_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  rowGroup: 'nested',
  columns: {
    ...cBlockColumns,
    transaction_index: t.int64('Position in the block.'),
    transaction_hash: t.hex('keccak256 of the raw transaction.'),
    transaction_type: t.int64('0: legacy, 1: access list, 2: dynamic fee.'),
    nonce: t.u64('Nonce of the sender.'),
    to_address: t.address('Receiver; null when the transaction creates a contract.', nullable),
    value: t.decimal38('Amount sent, in wei; null when it has more than 38 digits.', nullable),
    value_raw: t.text('Amount sent, in wei, as text with all digits.'),
    gas_limit: t.u64('Gas limit.'),
    ...wideColumns('gas_price', 'Gas price in wei per gas; null for type 2.'),
    ...wideColumns('max_fee_per_gas', 'Maximum fee in wei per gas (type 2).'),
    ...wideColumns('max_priority_fee_per_gas', 'Maximum priority fee in wei per gas (type 2).'),
    input: t.blob('Input data.'),
    access_list: t.list(
      t.struct(
        { address: t.address('Address.'), storage_keys: t.list(t.hex('Key.'), 'Storage keys.') },
        'An address and its storage keys.',
      ),
      'Access list; null for legacy transactions.',
      nullable,
    ),
    signed_chain_id: t.u64(
      'Chain id in the signed data; null for legacy transactions without replay protection (EIP-155).',
      nullable,
    ),
    v: t.u64('Parity or v of the signature.'),
    r: t.hex('r of the signature, 0x without leading zeros.'),
    s: t.hex('s of the signature, 0x without leading zeros.'),
  },
})
export type CTransaction = RowOf<typeof cTransactions>
