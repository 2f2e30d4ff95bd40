import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, logIndexColumn } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'
import { tokenAmountColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const evmTokenTransfers = table({
  name: 'evm_token_transfers',
  comment:
    'One row per token transfer in the logs of an EVM chain: Transfer (ERC-20 and ERC-721), TransferSingle and each entry of TransferBatch (ERC-1155), and of the native token where a chain logs its transfers (EIP-7708). Only events with exactly the topics and data of their standard count.',
  ...evmTable('transaction_index', 'log_index', 'position'),
  lasting: [...(['transaction_hash'] as const), ...(['operator_address', 'token_id', 'amount_raw'] as const)],
  numbered: 'log_index',
  columns: {
    ...evmTransactionColumns,
    log_index: logIndexColumn,
    position: t.int64('Position of the entry in its TransferBatch, from 0; 0 for all other events.'),
    standard: t
      .text('Standard of the token: erc20, erc721 or erc1155; native for a transfer of the native token (EIP-7708).')
      .lasting(),
    token_address: t
      .address('Contract of the token; the system address that logs transfers of the native token.')
      .lasting(),
    from_address: t.address('Sender; the zero address for minted tokens.').lasting(),
    to_address: t.address('Receiver; the zero address for burned tokens.').lasting(),
    operator_address: t.address('Operator that moved the tokens (ERC-1155); null for others.', nullable),
    token_id: t.text(
      'Id of the token in its contract, in decimal digits; null for ERC-20 and the native token.',
      nullable,
    ),
    ...tokenAmountColumns,
  },
})
export type EvmTokenTransfer = RowOf<typeof evmTokenTransfers>
