import { day, identity, nullable, t } from '../src/define/index.ts'
import { cAtomicColumns, cBlockColumns, credentialColumns, wrapperColumns } from './shared/block-columns.ts'
import { cHeaderColumns, exactColumns, wideColumns } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

/** Key and partition of a table of C-Chain blocks; `position` are the columns that distinguish rows of a block. */
function ofCBlocks<const P extends readonly string[]>(...position: P) {
  return {
    key: ['network', 'blockchain_id', 'block_number', ...position],
    sortBy: ['block_number', ...position],
    partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  } as const
}

export const cBlocks = table({
  name: 'c_blocks',
  comment:
    'One row per accepted block of the C-Chain, with the header fields from the container. Since Helicon, state root, receipts root and logs bloom belong to the blocks that this block settles, and gas used and base fee are upper bounds.',
  ...ofCBlocks(),
  columns: {
    ...cBlockColumns,
    ...cHeaderColumns,
    header_field_count: t.int64('Number of fields in the header, 16 to 30; it shows the network upgrade of the block.'),
    ext_data_length: t.int64('Length of the extra data with the atomic transactions, in bytes.'),
    transaction_count: t.int64('Number of EVM transactions in the block.'),
    atomic_transaction_count: t.int64('Number of atomic transactions in the block.'),
    ...wrapperColumns,
  },
})

export const cTransactions = table({
  name: 'c_transactions',
  comment:
    'One row per EVM transaction in an accepted block of the C-Chain. Senders are in c_senders. Receipts are not in containers: use evm_transactions.',
  ...ofCBlocks('transaction_index'),
  columns: {
    ...cBlockColumns,
    transaction_index: t.int64('Position in the block.'),
    transaction_hash: t.hex('keccak256 of the raw transaction.'),
    transaction_type: t.int64('0: legacy, 1: access list, 2: dynamic fee.'),
    nonce: t.u64('Nonce of the sender.'),
    to_address: t.address('Receiver; null when the transaction creates a contract.', nullable),
    ...exactColumns('value', 'Amount sent, in wei'),
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

export const cSenders = table({
  name: 'c_senders',
  comment:
    'One row per EVM transaction of the C-Chain: its sender, recovered from the signature. Written with --senders.',
  ...ofCBlocks('transaction_index'),
  columns: {
    ...cBlockColumns,
    transaction_index: t.int64('Position in the block.'),
    transaction_hash: t.hex('keccak256 of the raw transaction.'),
    from_address: t.address('Sender.').partlyUnproven(),
  },
})

export const cAtomicTransactions = table({
  name: 'c_atomic_transactions',
  comment: 'One row per atomic transaction of the C-Chain: an import from the P- or X-Chain, or an export to it.',
  ...ofCBlocks('tx_index'),
  columns: {
    ...cAtomicColumns,
    tx_type: t.text('ImportTx or ExportTx.'),
    source_chain_id: t.address('Id of the chain that an ImportTx imports from.', nullable),
    destination_chain_id: t.address('Id of the chain that an ExportTx exports to.', nullable),
    burned: t.decimal38(
      'AVAX burned, in nAVAX (1 nAVAX = 1e9 wei): inputs minus outputs; null when the native asset of the network is unknown.',
      nullable,
    ),
    input_count: t.int64('Number of inputs.'),
    output_count: t.int64('Number of outputs.'),
    signature_count: t.int64('Number of signatures in all credentials.'),
  },
})

export const cAtomicInputs = table({
  name: 'c_atomic_inputs',
  comment: 'One row per input of an atomic transaction of the C-Chain: an imported UTXO, or a debit of an EVM account.',
  ...ofCBlocks('tx_index', 'input_index'),
  columns: {
    ...cAtomicColumns,
    input_index: t.int64('Position among the inputs of the transaction.'),
    kind: t.text('import (a UTXO from another chain) or evm (a debit of an account).'),
    source_tx_id: t.cb58('Transaction that created the imported UTXO; null for evm.', nullable),
    source_output_index: t.int64('Index of the imported UTXO; null for evm.', nullable),
    evm_address: t.address('Account that pays (0x address); null for import.', nullable),
    nonce: t.u64('Nonce of the account; null for import.', nullable),
    asset_id: t.address('Id of the asset.'),
    amount: t.u64('Amount in the least unit of the asset; for AVAX nAVAX (1 nAVAX = 1e9 wei).'),
    signature_indices: t.list(t.int64('Index.'), 'Indices of the owners that sign; null for evm.', nullable),
  },
})

export const cAtomicOutputs = table({
  name: 'c_atomic_outputs',
  comment:
    'One row per output of an atomic transaction of the C-Chain: an exported UTXO, or a credit of an EVM account.',
  ...ofCBlocks('tx_index', 'output_index'),
  columns: {
    ...cAtomicColumns,
    output_index: t.int64('Position among the outputs of the transaction; for an exported UTXO this is its index.'),
    kind: t.text('export (a UTXO on the destination chain) or evm (a credit to an account).'),
    utxo_id: t.cb58('Id of the exported UTXO; null for evm.', nullable),
    evm_address: t.address('Account that receives (0x address); null for export.', nullable),
    asset_id: t.address('Id of the asset.'),
    amount: t.u64('Amount in the least unit of the asset; for AVAX nAVAX (1 nAVAX = 1e9 wei).'),
    addresses: t.list(t.address('Address.'), 'Owners, bech32 without chain prefix; null for evm.', nullable),
    threshold: t.int64('Number of signatures needed to spend it; null for evm.', nullable),
    locktime: t.u64('Unix time in seconds before which it cannot be spent; null for evm.', nullable),
  },
})

export const cCredentials = table({
  name: 'c_credentials',
  comment:
    'One row per signature of an atomic transaction of the C-Chain. Written with --credentials; --signers also recovers the signers.',
  ...ofCBlocks('tx_index', 'credential_index', 'signature_index'),
  columns: { ...cAtomicColumns, ...credentialColumns },
})
