import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns } from './shared/evm-columns.ts'
import { signedColumns } from './shared/hashed-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const evmTransactions = table({
  name: 'evm_transactions',
  comment: 'One row per transaction of an EVM chain, with the fields of its receipt, as the RPC returns them.',
  ...evmTable('transaction_index'),
  rowGroup: 'nested',
  unproven: {
    never: ['receipt_root'],
    partly: [
      'status',
      'effective_gas_price',
      'effective_gas_price_raw',
      'gas_used',
      'cumulative_gas_used',
      ...signedColumns,
    ],
  },
  columns: {
    ...evmTransactionColumns,
    transaction_type: t.int64(
      '0: legacy, 1: access list, 2: dynamic fee, 3: blobs, 4: authorizations; chains may define others.',
    ),
    from_address: t.address('Sender.'),
    to_address: t.address('Receiver; null when the transaction creates a contract.', nullable),
    nonce: t.u64('Nonce of the sender.'),
    value: t.decimal38('Amount sent, in wei; null when it has more than 38 digits.', nullable),
    value_raw: t.text('Amount sent, in wei, as text with all digits.'),
    gas_limit: t.u64('Gas limit.'),
    ...wideColumns(
      'gas_price',
      'Gas price in wei per gas, as the RPC returns it for every type; null where it returns none.',
    ),
    ...wideColumns('max_fee_per_gas', 'Maximum fee in wei per gas (type 2 and later).'),
    ...wideColumns('max_priority_fee_per_gas', 'Maximum priority fee in wei per gas (type 2 and later).'),
    ...wideColumns('max_fee_per_blob_gas', 'Maximum fee in wei per blob gas (type 3).'),
    input: t.blob('Input data.'),
    access_list: t.list(
      t.struct(
        { address: t.address('Address.'), storage_keys: t.list(t.hex('Key.'), 'Storage keys.') },
        'An address and its storage keys.',
      ),
      'Access list; null for legacy transactions.',
      nullable,
    ),
    blob_versioned_hashes: t.list(t.hex('Hash.'), 'Hashes of the blobs (type 3).', nullable),
    authorization_list: t.list(
      t.struct(
        {
          signed_chain_id: t.decimal38(
            'Chain id for which it is valid; 0: any chain; null when it has more than 38 digits.',
            nullable,
          ),
          address: t.address('Contract that the account delegates to.'),
          nonce: t.u64('Nonce of the account.'),
          y_parity: t.int64('Parity of the signature.'),
          r: t.hex('r of the signature, 0x without leading zeros.'),
          s: t.hex('s of the signature, 0x without leading zeros.'),
        },
        'Authorization.',
      ),
      'Authorizations by which accounts delegate to a contract (type 4).',
      nullable,
    ),
    signed_chain_id: t.decimal38(
      'Chain id in the signed data, as the node returns it; null where it returns none, and when it has more than 38 digits.',
      nullable,
    ),
    y_parity: t.int64('Parity of the signature; null for legacy transactions.', nullable),
    v: t.decimal38(
      'Parity or v of the signature; null where there is none, and when it has more than 38 digits.',
      nullable,
    ),
    r: t.hex('r of the signature, 0x without leading zeros; null where there is none.', nullable),
    s: t.hex('s of the signature, 0x without leading zeros; null where there is none.', nullable),
    status: t.int64('1: success, 0: failure; null before Byzantium, when receipts had no status.', nullable),
    receipt_root: t.hex('Root of the state after the transaction (root of the receipt, before Byzantium).', nullable),
    gas_used: t.int64('Gas used.'),
    cumulative_gas_used: t.int64('Gas used by this transaction and those before it in the block.'),
    ...wideColumns('effective_gas_price', 'Price paid, in wei per gas; null where the RPC returns none.'),
    blob_gas_used: t.u64('Blob gas used (type 3).', nullable),
    ...wideColumns('blob_gas_price', 'Price paid, in wei per blob gas (type 3).'),
    contract_address: t.address('Contract that the transaction created; null for others.', nullable),
    logs_bloom: t.blob('Bloom filter of the logs in the receipt; null where the node returns none.', nullable),
    log_count: t.int64('Number of logs of the transaction.'),
  },
})
export type EvmTransaction = RowOf<typeof evmTransactions>
