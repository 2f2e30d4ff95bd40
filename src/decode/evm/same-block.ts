import { contradiction, count, type Fields, hash, isText, passOver } from './fields.ts'
import type { EvmTransactionPlace } from './place.ts'

/** Answers to several requests may describe different blocks: after a fork, or from two nodes behind one URL. */

/** Checks the block and the position that a transaction states. */
export function checkPosition(transaction: Fields, blockHash: string, place: EvmTransactionPlace): void {
  checkBlock(transaction, blockHash, place)
  checkNumber(transaction, 'transactionIndex', place.transaction_index)
}

/** Checks that a receipt belongs to the transaction at its position. */
export function checkReceipt(receipt: Fields, blockHash: string, place: EvmTransactionPlace): void {
  checkBlock(receipt, blockHash, place)
  checkText(receipt, 'transactionHash', place.transaction_hash)
  checkNumber(receipt, 'transactionIndex', place.transaction_index)
}

/**
 * Checks that a log belongs to the transaction of its receipt. Returns its index: nearly always `usual`, its position in the block. Some chains
 * count logs within the transaction, and some leave gaps.
 */
export function checkLog(log: Fields, blockHash: string, place: EvmTransactionPlace, usual: number): number {
  checkBlock(log, blockHash, place)
  checkText(log, 'transactionHash', place.transaction_hash)
  checkNumber(log, 'transactionIndex', place.transaction_index)
  // Some nodes add the time of the block to each log.
  passOver(log, 'removed', 'blockTimestamp')
  if (log.object['removed'] === true)
    throw contradiction(log, 'removed', 'is true: the block is no part of the chain', true)
  return isText(log, 'logIndex', quantityOf(usual)) ? usual : count(log, 'logIndex')
}

function checkBlock(at: Fields, blockHash: string, place: EvmTransactionPlace): void {
  checkText(at, 'blockHash', blockHash)
  checkNumber(at, 'blockNumber', place.block_number)
}

function checkText(at: Fields, name: string, expected: string): void {
  if (isText(at, name, expected)) return
  const found = hash(at, name)
  if (found !== expected) throw contradiction(at, name, `is not ${expected}`, found)
}

function checkNumber(at: Fields, name: string, expected: number): void {
  if (isText(at, name, quantityOf(expected))) return
  const found = count(at, name)
  if (found !== expected) throw contradiction(at, name, `is ${found} and not ${expected}`, at.object[name])
}

const positions = Array.from({ length: 1024 }, (_, position) => `0x${position.toString(16)}`)
/** The last block number as text. All objects in a block state it. */
let last = { number: -1, text: '' }

/** Returns a number as nodes write it. */
function quantityOf(number: number): string {
  const position = positions[number]
  if (position !== undefined) return position
  if (last.number !== number) last = { number, text: `0x${number.toString(16)}` }
  return last.text
}
