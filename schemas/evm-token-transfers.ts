import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'
import { tokenAmountColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const evmTokenTransfers = table({
  name: 'evm_token_transfers',
  comment:
    'One row per token transfer in the logs of an EVM chain: Transfer of ERC-20 and ERC-721, TransferSingle and each entry of TransferBatch of ERC-1155, with exactly the topics and data of their standard.',
  ...evmTable('log_index', 'position'),
  columns: {
    ...evmTransactionColumns,
    log_index: t.int64('Position of the log among all logs of the block.'),
    position: t.int64('Position of the entry in its TransferBatch, from 0; 0 for all others.'),
    standard: t.text('Standard of the event: erc20, erc721, erc1155.'),
    token_address: t.address('Contract of the token.'),
    from_address: t.address('Sender; the zero address: minted.'),
    to_address: t.address('Receiver; the zero address: burnt.'),
    operator_address: t.address('Who moved the tokens (ERC-1155), else null.', nullable),
    token_id: t.text('Id of the token in its contract, in decimal digits; null for ERC-20.', nullable),
    ...tokenAmountColumns,
  },
})
export type EvmTokenTransfer = RowOf<typeof evmTokenTransfers>
