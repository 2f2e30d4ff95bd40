import { t } from '../../src/define/index.ts'
import { wideColumns } from './wide-columns.ts'

const nullable = { nullable: true } as const

/** What a transaction of an EVM chain says, without its signature. */
export const unsignedColumns = {
  transaction_type: t.int64(
    '0: legacy, 1: access list, 2: dynamic fee, 3: blobs, 4: authorizations; chains define others, such as 126 for deposits.',
  ),
  from_address: t.address('Sender.'),
  to_address: t.address('Receiver; null when the transaction creates a contract.', nullable),
  nonce: t.u64('Nonce of the sender; of a deposit that of its receipt. Null where the chain states none.', nullable),
  value: t.decimal38(
    'Amount sent, in wei; null when it has more than 38 digits, and where the chain states none.',
    nullable,
  ),
  value_raw: t.text('Amount sent, in wei, as text with all digits; null where the chain states none.', nullable),
  gas_limit: t.u64('Gas limit; null where the chain states none.', nullable),
  ...wideColumns(
    'gas_price',
    'Gas price in wei per gas, as the RPC returns it for every type; null where it returns none.',
  ),
  ...wideColumns('max_fee_per_gas', 'Maximum fee in wei per gas (type 2 and later).'),
  ...wideColumns('max_priority_fee_per_gas', 'Maximum priority fee in wei per gas (type 2 and later).'),
  ...wideColumns('max_fee_per_blob_gas', 'Maximum fee in wei per blob gas (type 3).'),
  input: t.blob('Input data; null where the chain states none, as for a transaction with a list of calls.', nullable),
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
        y_parity: t.int64('Parity of the signature.', nullable),
        r: t.hex('r of the signature, 0x without leading zeros.', nullable),
        s: t.hex('s of the signature, 0x without leading zeros.', nullable),
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
}
