import { evmStateReads } from '../../../schemas/evm-state-reads.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import { metricsTokenHolders } from '../../../schemas/metrics-token-holders.ts'
import { nodeBalances } from '../../../schemas/node-balances.ts'
import { nodeBlocks } from '../../../schemas/node-blocks.ts'
import { nodeDelegators } from '../../../schemas/node-delegators.ts'
import { nodeEvmState } from '../../../schemas/node-evm-state.ts'
import { nodeFees } from '../../../schemas/node-fees.ts'
import { nodeL1Validators } from '../../../schemas/node-l1-validators.ts'
import { nodeSupply } from '../../../schemas/node-supply.ts'
import { nodeTransactions } from '../../../schemas/node-transactions.ts'
import { nodeUtxos } from '../../../schemas/node-utxos.ts'
import { nodeValidators } from '../../../schemas/node-validators.ts'
import { nodeVmConfig } from '../../../schemas/node-vm-config.ts'
import { pTransactions } from '../../../schemas/p-transactions.ts'
import { pValidations } from '../../../schemas/p-validations.ts'
import { restCollectibleBalances } from '../../../schemas/rest-collectible-balances.ts'
import { restErc20Balances } from '../../../schemas/rest-erc20-balances.ts'
import { restErc721Balances } from '../../../schemas/rest-erc721-balances.ts'
import { restErc1155Balances } from '../../../schemas/rest-erc1155-balances.ts'
import { restIcmMessages } from '../../../schemas/rest-icm-messages.ts'
import { restNativeBalances } from '../../../schemas/rest-native-balances.ts'
import { restSignedMessages } from '../../../schemas/rest-signed-messages.ts'
import type { Columns, Table } from '../../define/index.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import { changes } from './verify-changes.ts'

/** A rule that the values of one row must satisfy. */
export type RowRule = {
  readonly table: Table
  /** Columns that state the same fact in two ways. */
  readonly columns: readonly string[]
  /** SQL that is true or null for every row that is right. */
  readonly holds: string
  /** Some EVM chains break the rule: only rows of the C-Chain are then wrong, and others are counted in a remark. */
  readonly mayBreak?: true
}

/** All rules of a table. */
export function rulesOf(table: Table): RowRule[] {
  return [
    ...secondsAndNanoseconds(table),
    ...exactTexts(table),
    ...headerTimes(table),
    ...observationTimes(table),
    ...others.filter((rule) => rule.table.name === table.name),
  ]
}

/** A time in microseconds and the same time in nanoseconds. */
function secondsAndNanoseconds(table: Table): RowRule[] {
  return columnsEnding(table, '_ns').map((name) => {
    const time = name.slice(0, -'_ns'.length)
    return { table, columns: [time, name], holds: `epoch_us(${sqlName(time)}) = ${sqlName(name)} // 1000` }
  })
}

/** A number of at most 38 digits and the same number as a text, which may be longer. */
function exactTexts(table: Table): RowRule[] {
  return columnsEnding(table, '_raw').map((name) => {
    const number = name.slice(0, -'_raw'.length)
    const text = sqlName(name)
    if (table.columns[number]?.type.kind === 'double')
      return { table, columns: [number, name], holds: `${sqlName(number)} = ${text}::DOUBLE` }
    return {
      table,
      columns: [number, name],
      holds: `NOT regexp_full_match(${text}, '[0-9]+') OR coalesce(${sqlName(number)}::VARCHAR = ${text}, length(${text}) > 38)`,
    }
  })
}

function columnsEnding({ columns }: Table, ending: string): string[] {
  return Object.keys(columns as Columns).filter(
    (name) => name.endsWith(ending) && name.slice(0, -ending.length) in columns,
  )
}

/** Headers of a few chains state milliseconds, microseconds or nanoseconds: see `timeOfTimestamp`. */
const microseconds = `CASE WHEN timestamp_seconds <= 253402300799 THEN timestamp_seconds::HUGEINT * 1000000
  WHEN timestamp_seconds < 9223372037000 THEN timestamp_seconds::HUGEINT * 1000
  WHEN timestamp_seconds < 9223372037000000 THEN timestamp_seconds::HUGEINT ELSE timestamp_seconds::HUGEINT // 1000 END`

/** The time of an EVM block and the time in its header. */
function headerTimes(table: Table): RowRule[] {
  if (!('timestamp_seconds' in table.columns)) return []
  return [
    {
      table,
      columns: ['block_time', 'timestamp_seconds', 'timestamp_milliseconds'],
      holds: `epoch_us(block_time)::HUGEINT = coalesce(timestamp_milliseconds::HUGEINT * 1000, ${microseconds})
        AND coalesce(timestamp_milliseconds::UBIGINT // 1000 = timestamp_seconds, true)`,
    },
  ]
}

/** Whether rows with versions do not disappear: points of a series and items of a list. A run compares them page by page. */
function areListed({ history, columns }: Table): boolean {
  return history === 'versions' && !('present' in columns)
}

/** The id of an observation begins with its time. */
function observationTimes(table: Table): RowRule[] {
  // Such rows have the id of the run that read them.
  if (!('observation_id' in table.columns) || areListed(table)) return []
  return [
    {
      table,
      columns: ['observation_id', 'observed_at'],
      holds: "starts_with(observation_id, strftime(observed_at, '%Y%m%dT%H%M%S%gZ'))",
    },
  ]
}

/** The second part of a subject, such as `subnet/ID?delegators=true`. */
const ofSubject = "split_part(split_part(subject, '?', 1), '/', 2)"
const named = (table: Table, column: string): RowRule => ({
  table,
  columns: ['subject', column],
  holds: `${ofSubject} = ${sqlName(column)}`,
})
const wallet = (table: Table, column: string): RowRule => ({
  table,
  columns: ['subject', 'chain_id', column],
  holds: `split_part(subject, '?', 1) = chain_id || '/' || ${sqlName(column)}`,
})
const written = (table: Table, bytes: string, json: string): RowRule => ({
  table,
  columns: ['encoding', bytes, json],
  holds: `encoding IS NOT DISTINCT FROM CASE WHEN ${bytes} IS NOT NULL THEN 'hex' WHEN ${json} IS NOT NULL THEN 'json' END`,
})

const others: readonly RowRule[] = [
  ...changes.map(({ table, before, after }) => ({
    table,
    columns: [before, after],
    holds: `${before} <> ${after}`,
  })),
  {
    table: evmStateReads,
    columns: ['slot', 'slot_value', 'balance_raw', 'nonce', 'code_hash'],
    holds:
      'CASE WHEN slot IS NULL THEN slot_value IS NULL AND balance_raw IS NOT NULL AND nonce IS NOT NULL AND code_hash IS NOT NULL ELSE slot_value IS NOT NULL AND coalesce(balance_raw, nonce::VARCHAR, code_hash) IS NULL END',
  },
  ...[nodeValidators, nodeDelegators, nodeL1Validators, nodeSupply].map((table) => named(table, 'subnet_id')),
  ...[nodeFees, nodeVmConfig].map((table) => named(table, 'blockchain_id')),
  named(nodeBalances, 'address'),
  {
    table: restSignedMessages,
    columns: ['message', 'signed_message'],
    holds: 'message IS NULL OR starts_with(signed_message, message)',
  },
  {
    table: restIcmMessages,
    columns: ['message_status', 'source_transaction_hash'],
    holds: "message_status NOT IN ('pending', 'delivered') OR source_transaction_hash IS NOT NULL",
  },
  {
    table: restIcmMessages,
    columns: ['message_status', 'destination_transaction_hash'],
    holds: "message_status NOT LIKE 'delivered%' OR destination_transaction_hash IS NOT NULL",
  },
  { table: nodeEvmState, columns: ['subject', 'chain_id'], holds: 'subject = chain_id' },
  {
    table: nodeUtxos,
    columns: ['subject', 'source_chain_id'],
    holds: "coalesce(source_chain_id, '') = split_part(subject, '?source=', 2)",
  },
  wallet(restNativeBalances, 'address'),
  ...[restErc20Balances, restErc721Balances, restErc1155Balances, restCollectibleBalances].map((table) =>
    wallet(table, 'owner'),
  ),
  wallet(metricsTokenHolders, 'token_address'),
  {
    table: metricsTokenHolders,
    columns: ['subject', 'balance_threshold'],
    holds: "balance_threshold = split_part(split_part(subject, 'threshold=', 2), '&', 1)",
  },
  { table: evmTransactions, columns: ['y_parity', 'v'], holds: 'y_parity = v', mayBreak: true },
  written(nodeTransactions, 'tx_bytes', 'tx_json'),
  written(nodeBlocks, 'block_bytes', 'block_json'),
  {
    table: pTransactions,
    columns: ['chain_time', 'chain_time_seconds'],
    holds: 'epoch(chain_time) = chain_time_seconds',
  },
  { table: pValidations, columns: ['end_time', 'stated_end'], holds: 'epoch(end_time) = stated_end' },
]
