import type { RestNativeTransaction, restNativeTransactions } from '../../../../schemas/rest-native-transactions.ts'
import type { Page, ReadingContext } from '../../../define/index.ts'
import {
  answerObject,
  finish,
  nextPageToken,
  object,
  objects,
  optionalObject,
  optionalText,
  type Reading,
  required,
} from '../../json/fields.ts'
import { count, digits, optionalInt64, optionalU64, seconds, u64 } from '../../json/number-fields.ts'
import { hash, optionalHex, optionalWord } from '../../json/text-fields.ts'
import { blockTime, checkChain, decimal38, type EvmPlace } from '../../json/token-fields.ts'
import { partyCells, readParty } from './erc-transfer-event.ts'

/** Reads a page of `transactions:listNative`: transactions from and to a wallet, newest first. */
export function decodeNativeTransactions(place: EvmPlace) {
  return (answer: unknown, context: ReadingContext): Page<{ nativeTransactions: typeof restNativeTransactions }> => {
    const at = answerObject(answer, 'answer', context)
    const nativeTransactions: RestNativeTransaction[] = []
    const items = objects(at, 'transactions', (item) => {
      const row = transactionRow(item, place)
      nativeTransactions.push(row)
      return { key: row.transaction_hash, time: seconds(item, 'blockTimestamp') }
    })
    const next = nextPageToken(at)
    finish(at)
    return { rows: { nativeTransactions }, items, next }
  }
}

function transactionRow(at: Reading, place: EvmPlace): RestNativeTransaction {
  checkChain(at, place)
  const value = digits(at, 'value')
  const gasPrice = digits(at, 'gasPrice')
  return {
    network: place.network,
    chain_id: place.chainId,
    block_number: count(at, 'blockNumber'),
    transaction_index: count(at, 'blockIndex'),
    transaction_hash: hash(at, 'txHash'),
    block_time: blockTime(at),
    block_hash: hash(at, 'blockHash'),
    ...partyCells('from', object(at, 'from', readParty)),
    ...partyCells('to', object(at, 'to', readParty)),
    amount: decimal38(value),
    amount_raw: value,
    status: count(at, 'txStatus'),
    transaction_type: count(at, 'txType'),
    nonce: u64(at, 'nonce'),
    gas_limit: u64(at, 'gasLimit'),
    gas_used: required(optionalInt64(at, 'gasUsed'), at, 'gasUsed'),
    gas_price: decimal38(gasPrice),
    gas_price_raw: gasPrice,
    ...(optionalObject(at, 'method', readMethod) ?? noMethod),
    min_delay_excess: optionalU64(at, 'blockMinDelayExcess'),
  }
}

const noMethod = { method_type: null, method_hash: null, method_name: null }

function readMethod(at: Reading) {
  return {
    method_type: optionalWord(at, 'callType'),
    method_hash: optionalHex(at, 'methodHash'),
    method_name: optionalText(at, 'methodName'),
  }
}
