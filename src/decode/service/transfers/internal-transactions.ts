import type {
  RestInternalTransaction,
  restInternalTransactions,
} from '../../../../schemas/rest-internal-transactions.ts'
import type { Page, ReadingContext } from '../../../define/index.ts'
import {
  answerObject,
  finish,
  flag,
  nextPageToken,
  object,
  objects,
  type Reading,
  required,
} from '../../json/fields.ts'
import { count, digits, optionalInt64, seconds, u64 } from '../../json/number-fields.ts'
import { type Positions, positionsOf } from '../../json/positions.ts'
import { hash, word } from '../../json/text-fields.ts'
import { blockTime, decimal38, type EvmPlace } from '../../json/token-fields.ts'
import { partyCells, readParty } from './erc-transfer-event.ts'

/** The wallet of a list of internal transactions. */
export type InternalsOf = EvmPlace & { readonly address: string }

/** Reads a page of `transactions:listInternals`: calls from and to a wallet, newest first. The service does not number them. */
export function decodeInternalTransactions(wallet: InternalsOf) {
  return (
    answer: unknown,
    context: ReadingContext,
  ): Page<{ internalTransactions: typeof restInternalTransactions }> => {
    const at = answerObject(answer, 'answer', context)
    const positions = positionsOf(context)
    const internalTransactions: RestInternalTransaction[] = []
    const items = objects(at, 'transactions', (item) => {
      const row = internalRow(item, wallet, positions)
      internalTransactions.push(row)
      return { key: `${row.transaction_hash}/${row.position}`, time: seconds(item, 'blockTimestamp') }
    })
    const next = nextPageToken(at)
    finish(at)
    return { rows: { internalTransactions }, items, next }
  }
}

function internalRow(at: Reading, wallet: InternalsOf, positions: Positions): RestInternalTransaction {
  const value = digits(at, 'value')
  const facts = {
    block_number: count(at, 'blockNumber'),
    block_time: blockTime(at),
    block_hash: hash(at, 'blockHash'),
    ...partyCells('from', object(at, 'from', readParty)),
    ...partyCells('to', object(at, 'to', readParty)),
    amount: decimal38(value),
    amount_raw: value,
    call_type: word(at, 'internalTxType'),
    is_reverted: flag(at, 'isReverted'),
    gas_used: required(optionalInt64(at, 'gasUsed'), at, 'gasUsed'),
    gas_limit: u64(at, 'gasLimit'),
  }
  const transaction_hash = hash(at, 'txHash')
  const { from_address, to_address, call_type, is_reverted, gas_used, gas_limit } = facts
  const call = [from_address, to_address, value, call_type, is_reverted, gas_used, gas_limit].join(' ')
  return {
    network: wallet.network,
    chain_id: wallet.chainId,
    address: wallet.address,
    transaction_hash,
    position: positions(transaction_hash, call),
    ...facts,
  }
}
