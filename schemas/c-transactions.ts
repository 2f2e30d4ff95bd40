import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { cBlockColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const cTransactions = table({
  name: 'c_transactions',
  comment:
    'One row per EVM transaction of an accepted block of the C chain. Senders are in c_senders, receipts need RPC.',
  key: ['network', 'blockchain_id', 'block_number', 'transaction_index'],
  sortBy: ['block_number', 'transaction_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  rowGroup: 'nested',
  columns: {
    ...cBlockColumns,
    transaction_index: t.int64('Position in the block.'),
    transaction_hash: t.hex('keccak256 of the raw transaction.'),
    transaction_type: t.int64('0: legacy, 1: with access list, 2: with dynamic fee.'),
    nonce: t.u64('Nonce of the sender.'),
    to_address: t.address('Receiver; null: contract creation.', nullable),
    value: t.decimal38('Wei sent; null when over 38 digits.', nullable),
    value_raw: t.text('Wei sent as text, always exact.'),
    gas_limit: t.u64('Gas limit.'),
    ...wideColumns('gas_price', 'Wei per gas; null for type 2.'),
    ...wideColumns('max_fee_per_gas', 'Greatest wei per gas (type 2).'),
    ...wideColumns('max_priority_fee_per_gas', 'Greatest tip in wei per gas (type 2).'),
    input: t.blob('Input data.'),
    access_list: t.list(
      t.struct(
        { address: t.address('Address.'), storage_keys: t.list(t.hex('Key.'), 'Storage keys.') },
        'An address and its storage keys.',
      ),
      'Access list; null for legacy transactions.',
      nullable,
    ),
    signed_chain_id: t.u64('Chain id that the signature covers; null for unprotected legacy transactions.', nullable),
    v: t.u64('Parity or v of the signature.'),
    r: t.hex('r of the signature, 0x and no leading zeros.'),
    s: t.hex('s of the signature, 0x and no leading zeros.'),
  },
})
export type CTransaction = RowOf<typeof cTransactions>
