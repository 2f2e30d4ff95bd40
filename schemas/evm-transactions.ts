import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const evmTransactions = table({
  name: 'evm_transactions',
  comment: 'One row per transaction of a block of an EVM chain, with the fields of its receipt, as the RPC shows them.',
  ...evmTable('transaction_index'),
  rowGroup: 'nested',
  columns: {
    ...evmTransactionColumns,
    transaction_type: t.int64(
      '0: legacy, 1: with access list, 2: with dynamic fee, 3: with blobs, 4: with authorizations; chains may have others.',
    ),
    from_address: t.address('Sender.'),
    to_address: t.address('Receiver; null: contract creation.', nullable),
    nonce: t.u64('Nonce of the sender.'),
    value: t.decimal38('Wei sent; null when over 38 digits.', nullable),
    value_raw: t.text('Wei sent as text, always exact.'),
    gas_limit: t.u64('Gas limit.'),
    ...wideColumns('gas_price', 'Wei per gas as the RPC states it, for every type; null where it states none.'),
    ...wideColumns('max_fee_per_gas', 'Greatest wei per gas (type 2 and later).'),
    ...wideColumns('max_priority_fee_per_gas', 'Greatest tip in wei per gas (type 2 and later).'),
    ...wideColumns('max_fee_per_blob_gas', 'Greatest wei per blob gas (type 3).'),
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
          signed_chain_id: t.decimal38('Chain id that it is for; 0: any; null when over 38 digits.', nullable),
          address: t.address('Contract whose code the account takes.'),
          nonce: t.u64('Nonce of the account.'),
          y_parity: t.int64('Parity of the signature.'),
          r: t.hex('r of the signature, 0x and no leading zeros.'),
          s: t.hex('s of the signature, 0x and no leading zeros.'),
        },
        'Authorization.',
      ),
      'Authorizations of accounts to take code (type 4).',
      nullable,
    ),
    signed_chain_id: t.decimal38(
      'Chain id that the node says the signature covers; null where it says none and when over 38 digits.',
      nullable,
    ),
    y_parity: t.int64('Parity of the signature; null for legacy transactions.', nullable),
    v: t.decimal38('Parity or v of the signature; null where it has none and when over 38 digits.', nullable),
    r: t.hex('r of the signature, 0x and no leading zeros; null where it has none.', nullable),
    s: t.hex('s of the signature, 0x and no leading zeros; null where it has none.', nullable),
    status: t.int64('1: done, 0: failed; null where the chain had none (before Byzantium).', nullable),
    receipt_root: t.hex('Root of the state after the transaction (before Byzantium, root of the receipt).', nullable),
    gas_used: t.int64('Gas used.'),
    cumulative_gas_used: t.int64('Gas used by this and the transactions before it in the block.'),
    ...wideColumns('effective_gas_price', 'Wei per gas that were paid; null where the RPC states none.'),
    blob_gas_used: t.u64('Blob gas used (type 3).', nullable),
    ...wideColumns('blob_gas_price', 'Wei per blob gas that were paid (type 3).'),
    contract_address: t.address('Contract that was created; null without one.', nullable),
    logs_bloom: t.blob('Bloom filter of the logs, of the receipt; null where the node states none.', nullable),
    log_count: t.int64('Logs of the transaction.'),
  },
})
export type EvmTransaction = RowOf<typeof evmTransactions>
