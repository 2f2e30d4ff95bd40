import { identity, month, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { evmChainColumns, transferPartyColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const restInternalTransactions = table({
  name: 'rest_internal_transactions',
  comment:
    'One row per call within a transaction from or to a watched wallet, as the REST service lists it (internal transactions).',
  key: ['network', 'chain_id', 'address', 'transaction_hash', 'position'],
  sortBy: ['chain_id', 'address', 'block_number', 'position'],
  partitionBy: [identity('network'), month('block_time')],
  lasting: ['block_hash', 'block_time', 'from_address', 'to_address'],
  streamValues: [{ column: 'address', parameter: 'wallet' }],
  unproven: {
    partly: ['block_time', 'block_hash', 'from_address', 'to_address'],
  },
  columns: {
    ...evmChainColumns,
    address: t.address('Wallet of the request: the sender or the receiver of the call.'),
    transaction_hash: t.hex('Hash of the transaction.').at('txHash', 'hash').partlyUnproven(),
    position: t
      .int64(
        'Position among the internal transactions of the wallet in the transaction, from 0, in the order of the list.',
      )
      .partlyUnproven(),
    block_number: t.int64('Number of the block.').at('blockNumber').lasting().partlyUnproven(),
    ...transferPartyColumns,
    amount: t
      .decimal38('Native token moved, in wei; null when it has more than 38 digits.', nullable)
      .at('value', 'digits')
      .partlyUnproven(),
    amount_raw: t.text('Native token moved, in wei, as text with all digits.').lasting().partlyUnproven(),
    call_type: t
      .text('Kind of the call: CALL, CREATE, CREATE2, DELEGATECALL, STATICCALL and others.')
      .at('internalTxType', 'word')
      .lasting()
      .unproven(),
    is_reverted: t.boolean('Whether the call was reverted.').at('isReverted').lasting().unproven(),
    gas_used: t.int64('Gas used by the call.').at('gasUsed', 'int64').lasting().unproven(),
    gas_limit: t.u64('Gas that the call could use.').at('gasLimit').lasting().unproven(),
  },
})
