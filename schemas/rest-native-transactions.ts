import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { evmChainColumns, partyColumns, partyNames } from './shared/token-columns.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const restNativeTransactions = table({
  name: 'rest_native_transactions',
  comment: 'One row per transaction that a watched wallet sent or received, as the REST service lists it.',
  key: ['network', 'chain_id', 'block_number', 'transaction_hash'],
  sortBy: ['chain_id', 'block_number', 'transaction_index'],
  partitionBy: [identity('network'), month('block_time')],
  lasting: [
    'transaction_index',
    'block_hash',
    'block_time',
    'from_address',
    'to_address',
    'amount_raw',
    'nonce',
    'method_type',
    'method_hash',
    'min_delay_excess',
  ],
  unproven: {
    never: [...partyNames, 'method_type', 'method_name', 'min_delay_excess'],
    partly: [
      'method_hash',
      'block_number',
      'transaction_index',
      'transaction_hash',
      'block_time',
      'block_hash',
      'from_address',
      'to_address',
      'amount',
      'amount_raw',
      'nonce',
      'gas_limit',
      'gas_used',
      'gas_price',
      'gas_price_raw',
      'status',
      'transaction_type',
    ],
  },
  columns: {
    ...evmChainColumns,
    block_number: t.int64('Number of the block.').at('blockNumber'),
    transaction_index: t.int64('Position of the transaction in the block.').at('blockIndex'),
    transaction_hash: t.hex('Hash of the transaction.').at('txHash', 'hash'),
    block_time: t
      .timestamp('Time of the block (UTC), with milliseconds where the answer has them.')
      .at('blockTimestamp'),
    block_hash: t.hex('Hash of the block.').at('blockHash', 'hash'),
    ...partyColumns('from', 'Sender.'),
    ...partyColumns('to', 'Receiver, as the service lists it.'),
    amount: t
      .decimal38('Native token sent, in wei; null when it has more than 38 digits.', nullable)
      .at('value', 'digits'),
    amount_raw: t.text('Native token sent, in wei, as text with all digits.'),
    status: t.int64('1: success, 0: failure.').at('txStatus'),
    transaction_type: t.int64('0: legacy, 1: access list, 2: dynamic fee; chains may define others.').at('txType'),
    nonce: t.u64('Nonce of the sender.').at('nonce'),
    gas_limit: t.u64('Gas limit.').at('gasLimit'),
    gas_used: t.int64('Gas used.').at('gasUsed', 'int64'),
    ...wideColumns('gas_price', 'Gas price in wei per gas, as the service lists it.', 'gasPrice'),
    method_type: t.text('NATIVE_TRANSFER, CONTRACT_CALL or CONTRACT_CREATION.', nullable).at('method.callType', 'word'),
    method_hash: t.hex('Selector of the called function.', nullable).at('method.methodHash'),
    method_name: t.text('Signature of that function, where the service knows it.', nullable).at('method.methodName'),
    min_delay_excess: t
      .u64('Excess of the minimum block delay (since Granite), where the service lists it.', nullable)
      .at('blockMinDelayExcess'),
  },
})
export type RestNativeTransaction = RowOf<typeof restNativeTransactions>
