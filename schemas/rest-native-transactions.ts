import { identity, month, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { evmChainColumns, partyColumns } from './shared/token-columns.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const restNativeTransactions = table({
  name: 'rest_native_transactions',
  comment: 'One row per transaction that a watched wallet sent or received, as the REST service lists it.',
  key: ['network', 'chain_id', 'block_number', 'transaction_hash'],
  sortBy: ['chain_id', 'block_number', 'transaction_index'],
  partitionBy: [identity('network'), month('block_time')],
  lasting: ['from_address', 'to_address'],
  unproven: {
    partly: ['from_address', 'to_address', 'gas_price', 'gas_price_raw'],
  },
  columns: {
    ...evmChainColumns,
    block_number: t.int64('Number of the block.').at('blockNumber').partlyUnproven(),
    transaction_index: t.int64('Position of the transaction in the block.').at('blockIndex').lasting().partlyUnproven(),
    transaction_hash: t.hex('Hash of the transaction.').at('txHash', 'hash').partlyUnproven(),
    block_time: t
      .timestamp('Time of the block (UTC), with milliseconds where the answer has them.')
      .at('blockTimestamp')
      .lasting()
      .partlyUnproven(),
    block_hash: t.hex('Hash of the block.').at('blockHash', 'hash').lasting().partlyUnproven(),
    ...partyColumns('from', 'Sender.'),
    ...partyColumns('to', 'Receiver, as the service lists it.'),
    amount: t
      .decimal38('Native token sent, in wei; null when it has more than 38 digits.', nullable)
      .at('value', 'digits')
      .partlyUnproven(),
    amount_raw: t.text('Native token sent, in wei, as text with all digits.').lasting().partlyUnproven(),
    status: t.int64('1: success, 0: failure.').at('txStatus').partlyUnproven(),
    transaction_type: t
      .int64('0: legacy, 1: access list, 2: dynamic fee; chains may define others.')
      .at('txType')
      .partlyUnproven(),
    nonce: t.u64('Nonce of the sender.').at('nonce').lasting().partlyUnproven(),
    gas_limit: t.u64('Gas limit.').at('gasLimit').partlyUnproven(),
    gas_used: t.int64('Gas used.').at('gasUsed', 'int64').partlyUnproven(),
    ...wideColumns('gas_price', 'Gas price in wei per gas, as the service lists it.', 'gasPrice'),
    method_type: t
      .text('NATIVE_TRANSFER, CONTRACT_CALL or CONTRACT_CREATION.', nullable)
      .at('method.callType', 'word')
      .lasting()
      .unproven(),
    method_hash: t.hex('Selector of the called function.', nullable).at('method.methodHash').lasting().partlyUnproven(),
    method_name: t
      .text('Signature of that function, where the service knows it.', nullable)
      .at('method.methodName')
      .unproven(),
    min_delay_excess: t
      .u64('Excess of the minimum block delay (since Granite), where the service lists it.', nullable)
      .at('blockMinDelayExcess')
      .lasting()
      .unproven(),
  },
})
