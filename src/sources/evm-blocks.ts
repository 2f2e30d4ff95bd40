import { contradictionOf, contradictions } from '../../codec/evm/own-header.ts'
import type { Connection } from '../define/connection.ts'
import type { RangeSource } from '../define/index.ts'
import { DecodeError } from '../errors.ts'
import type { RpcOutcome } from '../fetch/json-rpc.ts'
import type { EvmBlock } from '../model.ts'
import { askAgain, type LagOptions, patienceOf } from './ask-again.ts'
import {
  blockCall,
  countOf,
  failureAt,
  hex,
  isObject,
  type Json,
  missingBlock,
  otherBlockAt,
  receiptCall,
  resultFor,
} from './evm-answers.ts'
import { evmBlockRange } from './evm-block-range.ts'
import { createEvmCalls, mostCalls } from './evm-calls.ts'
import { isBehind, isContradicting, isLagging, isMissingMethod } from './evm-refusals.ts'
import { existingBlocks } from './null-rounds.ts'
import { createWindowSize, maxAnswerBytes } from './window-size.ts'

export type EvmBlocksOptions = LagOptions & {
  /** Number of newest blocks that do not count as final. Default: as the node says which block is final, or else 64. */
  readonly finality?: number
  /** Reads only blocks with numbers that are multiples of this. Default 1: all blocks. */
  readonly step?: number
  /** Number of concurrent windows; see `createWindowSize`. */
  readonly underWay?: number
}

type Wish = {
  readonly numbers: readonly number[]
  readonly signal: AbortSignal | undefined
  /** Whether a transaction that still has no receipt has none: the node was asked often enough to say that it does not lag behind. */
  readonly mayLack: boolean
}

/**
 * Blocks of an EVM chain with their receipts, read by the JSON-RPC at `route` (eth_getBlockByNumber, eth_getBlockReceipts). Coordinates are
 * block numbers. Receipts that a node does not return by block are requested one by one. Receipts and their logs come in the order of the
 * transactions. The source checks only that they are of the block. If the node does not have a block below its head, or its receipts, the
 * source throws a `TransportError`. Some chains list transactions that they never executed: a transaction has no receipt if the node still
 * returns none, but those of others of the block, after all tries.
 */
export function createEvmBlocks(
  connection: Connection,
  route: string,
  options: EvmBlocksOptions = {},
): RangeSource<EvmBlock> {
  const { finality, step = 1, underWay = 1 } = options
  const again = {
    isTransient: (error: unknown) => isLagging(error) || isContradicting(error),
    ...patienceOf(connection, options),
  }
  const calls = createEvmCalls(connection, route)
  // A block and its receipts are two calls of a batch.
  const size = createWindowSize(underWay, mostCalls / 2)
  const byBlock = createMethodMemory()

  /** The requested blocks with their receipts. */
  async function read({ numbers, signal, mayLack }: Wish): Promise<(EvmBlock | null)[]> {
    const bound = { signal, maxBytes: maxAnswerBytes }
    const isAsked = byBlock.isWorthAsking()
    const requested = numbers.flatMap((number) => [
      blockCall(hex(number), true),
      ...(isAsked ? [{ method: 'eth_getBlockReceipts', params: [hex(number)] }] : []),
    ])
    const each = isAsked ? 2 : 1
    const { outcomes, size: length } = await calls.ask(requested, { ...bound, together: each })
    const asked = numbers.map((number, at) => ({ number, outcome: outcomes[at * each]! }))
    const blocks = await existingBlocks(calls, asked, signal)
    const ofBlocks = isAsked ? new Map(numbers.map((number, at) => [number, outcomes[at * each + 1]!])) : null
    const receipts = await readReceipts(blocks, ofBlocks, bound)
    if (receipts.missingAt !== null && !mayLack) throw missingBlock(receipts.missingAt, lacksReceipt)
    size.answered(numbers.length, length + receipts.size)
    return numbers.map((number) => {
      const block = blocks.get(number)
      if (block === undefined) return null
      return { number, block, receipts: inOrder(receipts.byNumber.get(number), hashesOf(block)) }
    })
  }

  /** The receipts of blocks, by number, from the answers to eth_getBlockReceipts, if it was requested, and otherwise one by one. */
  async function readReceipts(
    blocks: ReadonlyMap<number, Json>,
    ofBlocks: ReadonlyMap<number, RpcOutcome> | null,
    bound: { readonly signal: AbortSignal | undefined },
  ) {
    const byNumber = new Map<number, unknown>()
    const left: Left[] = []
    for (const [number, block] of blocks) {
      const outcome = ofBlocks?.get(number) ?? null
      const own = receiptsByBlock(block, number, outcome)
      byNumber.set(number, own)
      const hashes = missingIn(own, hashesOf(block))
      if (hashes.length > 0) left.push({ number, block, outcome, returned: (own ?? []) as unknown[], hashes })
    }
    const { missingAt, size, receipts } = await readSingle(left, bound)
    for (const [number, own] of receipts) byNumber.set(number, own)
    if (ofBlocks !== null) remember(left, byNumber)
    return { byNumber, missingAt, size }
  }

  function remember(left: readonly Left[], byNumber: ReadonlyMap<number, unknown>): void {
    if (left.some(({ returned }) => returned.length === 0)) byBlock.failed()
    else if ([...byNumber.values()].some((own) => Array.isArray(own) && own.length > 0)) byBlock.succeeded()
  }

  /** The receipts of blocks with those of some transactions requested one by one; `missingAt` is a block that still has not all. */
  async function readSingle(left: readonly Left[], bound: { readonly signal: AbortSignal | undefined }) {
    const receipts = new Map<number, readonly unknown[]>()
    let missingAt: number | null = null
    if (left.length === 0) return { receipts, missingAt, size: 0 }
    const { outcomes, size } = await calls.ask(
      left.flatMap(({ hashes }) => hashes.map(receiptCall)),
      bound,
    )
    let taken = 0
    for (const each of left) {
      const own = singleReceipts(each, outcomes.slice(taken, taken + each.hashes.length))
      taken += each.hashes.length
      if (own.length < each.hashes.length && each.number > 0) missingAt ??= each.number
      receipts.set(each.number, [...each.returned, ...own])
    }
    return { receipts, missingAt, size }
  }

  function readSome(numbers: readonly number[], signal?: AbortSignal): Promise<(EvmBlock | null)[]> {
    const some = numbers.slice(0, size.current())
    let asked = 0
    async function attempt() {
      asked++
      // A node that is asked only once may lag behind.
      const mayLack = asked > 1 && asked >= again.tries
      return (await read({ numbers: some, signal, mayLack })).map(compared)
    }
    return askAgain(attempt, again, signal)
  }

  const range = evmBlockRange<EvmBlock>({
    calls,
    route,
    finality,
    step,
    size,
    readSome,
  })
  return { ...range, bytes: ({ block }) => countOf(block['size']) ?? 0 }
}

/** A block that still needs receipts of transactions. The source requests them one by one. */
type Left = {
  readonly number: number
  readonly block: Json
  /** The answer to eth_getBlockReceipts, if it was requested. */
  readonly outcome: RpcOutcome | null
  /** The receipts in that answer. */
  readonly returned: readonly unknown[]
  /** The transactions without a receipt there. */
  readonly hashes: readonly unknown[]
}

const lacksReceipt = 'the receipt of a transaction is missing'

/**
 * Whether a method is worth another request. After failures the source leaves it out for a while, longer each time, and then tries it again:
 * one failure of one node behind a gateway changes nothing, and a node without the method is seldom asked.
 */
function createMethodMemory() {
  let [failures, left] = [0, 0]
  return {
    isWorthAsking(): boolean {
      if (left === 0) return true
      left--
      return false
    },
    failed(): void {
      failures = Math.min(failures + 1, 8)
      left = 2 ** failures - 2
    },
    succeeded(): void {
      failures = 0
    },
  }
}

/**
 * The receipts of a block as eth_getBlockReceipts returns them; null if they must be requested one by one. A block without transactions has
 * none, whatever the answer. Throws where the node lags behind.
 */
function receiptsByBlock(block: Json, number: number, outcome: RpcOutcome | null): unknown {
  const count = hashesOf(block).length
  if (outcome === null || 'error' in outcome) {
    if (count === 0) return []
    if (outcome !== null && number > 0 && isBehind(outcome.error)) throw failureAt(number, outcome.error)
    return null
  }
  if (!Array.isArray(outcome.result ?? [])) return outcome.result
  const receipts = ((outcome.result ?? []) as unknown[]).filter((receipt) => receipt !== null)
  // Nothing made the transactions of block 0, where it has some.
  if (receipts.length === 0 && count > 0 && number > 0) throw missingBlock(number, 'it has no receipts')
  for (const receipt of receipts) verifyBlock(block, number, receipt)
  return receipts
}

/** The transactions of a block that have no receipt among those that the node returned for the block; null: it returned none. */
function missingIn(receipts: unknown, hashes: readonly unknown[]): readonly unknown[] {
  if (receipts === null) return hashes
  if (!Array.isArray(receipts) || receipts.length === 0) return []
  if (areInOrder(receipts, hashes)) return []
  const returned = new Set(receipts.map((receipt) => String(hashOf(receipt)).toLowerCase()))
  return hashes.filter((hash) => !returned.has(String(hash).toLowerCase()))
}

/** Whether each transaction has its receipt at its own position. */
function areInOrder(receipts: readonly unknown[], hashes: readonly unknown[]): boolean {
  return hashes.every((hash, at) => isSameText(hash, hashOf(receipts[at])))
}

function hashOf(receipt: unknown): unknown {
  return isObject(receipt) ? receipt['transactionHash'] : undefined
}

/**
 * The receipts that were requested one by one, without those that the node does not have. Throws if it has none of a block; those of block 0,
 * which no transaction made, need not be there.
 */
function singleReceipts(left: Left, outcomes: readonly RpcOutcome[]): readonly unknown[] {
  const { number, block, outcome, returned, hashes } = left
  const isThere = (single: RpcOutcome): boolean => 'result' in single && single.result !== null
  const found = outcomes.filter(isThere).map((single) => resultFor(number, single))
  for (const receipt of found) verifyBlock(block, number, receipt)
  if (number === 0 && found.length === 0) return found
  // Where the block has other receipts, a transaction that the node does not know has none.
  const hasOthers = returned.length + found.length > 0
  const failed = outcomes.find((single) => 'error' in single && !(hasOthers && isBehind(single.error)))
  // The error of the usual request says more.
  const usual = outcome !== null && 'error' in outcome && !isMissingMethod(outcome) ? outcome.error : null
  if (failed !== undefined && 'error' in failed) throw failureAt(number, usual ?? failed.error)
  if (!hasOthers && hashes.length > 0) throw missingBlock(number, lacksReceipt)
  return found
}

/** Receipts of another block than the transactions: a node lags behind, or two nodes disagree. */
function verifyBlock(block: Json, number: number, receipt: unknown): void {
  const hash = isObject(receipt) ? receipt['blockHash'] : undefined
  if (typeof hash !== 'string' || isSameText(hash, block['hash'])) return
  throw otherBlockAt(number, 'receipts', { of: hash, block: block['hash'] })
}

function isSameText(one: unknown, other: unknown): boolean {
  return one === other || String(one).toLowerCase() === String(other).toLowerCase()
}

/** Receipts in the order of the transactions, each with its logs in order. Others than those of the transactions stay as they are. */
function inOrder(receipts: unknown, hashes: readonly unknown[]): unknown {
  if (!Array.isArray(receipts)) return receipts
  if (areInOrder(receipts, hashes)) return receipts.map(withOrderedLogs)
  const positions = new Map(hashes.map((hash, at) => [String(hash).toLowerCase(), at]))
  const positionOf = (receipt: unknown): number => positions.get(String(hashOf(receipt)).toLowerCase()) ?? hashes.length
  return receipts.toSorted((a, b) => positionOf(a) - positionOf(b)).map(withOrderedLogs)
}

function withOrderedLogs(receipt: unknown): unknown {
  const logs = isObject(receipt) ? receipt['logs'] : undefined
  if (!Array.isArray(logs) || logs.length < 2 || !logs.every(isObject)) return receipt
  // Reads faster than `countOf`, and is false for what is no number.
  if (logs.every((log, at) => at === 0 || Number(logs[at - 1]!['logIndex']) <= Number(log['logIndex']))) return receipt
  const indexOf = (log: Json): number => countOf(log['logIndex']) ?? 0
  return { ...(receipt as Json), logs: logs.toSorted((a, b) => indexOf(a) - indexOf(b)) }
}

/**
 * A block whose transactions and receipts its own header does not contradict. Throws `DecodeError` for one of another kind, unless the chain
 * may have another kind of header.
 */
function compared(record: EvmBlock | null): EvmBlock | null {
  if (record === null) return null
  const { number, block, receipts } = record
  if (!Array.isArray(receipts) || !receipts.every(isObject)) return record
  // Only block 0 comes here without receipts for its transactions: nothing made them.
  if (receipts.length === 0 && hashesOf(block).length > 0) return record
  const found = contradictionOf(block, receipts)
  if (found === null) return record
  const said = found.kinds.map((kind) => contradictions[kind])
  if (!found.isCertain) return { ...record, contradictions: said }
  throw new DecodeError(`The node contradicts itself about block ${number}: ${said.join('; ')}.`, {
    code: 'evm.own-header',
    details: { 'block number': number, 'block hash': String(block['hash']) },
    hint: 'Nothing of this unit was written. The node returned this at every try: use another node of the chain.',
  })
}

function hashesOf({ transactions }: Json): unknown[] {
  if (!Array.isArray(transactions)) return []
  return transactions.map((transaction: unknown) => (isObject(transaction) ? transaction['hash'] : transaction))
}
