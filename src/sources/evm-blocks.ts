import { contradictionOf, contradictions, headerShape } from '../../codec/evm/block-parts.ts'
import type { Connection } from '../define/connection.ts'
import type { RangeSource } from '../define/index.ts'
import { DecodeError } from '../errors.ts'
import type { RpcOutcome } from '../fetch/json-rpc.ts'
import { isObject } from '../lib/json.ts'
import type { EvmBlock } from '../model.ts'
import {
  askGroups,
  blockCall,
  countOf,
  createEvmCalls,
  type EvmCalls,
  type EvmRangeOptions,
  evmBlockTimes,
  existingBlocks,
  failureAt,
  finalHeadOf,
  hashesOf,
  hex,
  inOrderOf,
  isAt,
  type Json,
  missingBlock,
  mostCalls,
  multiplesOf,
  otherBlockAt,
  receiptCall,
  receiptsCall,
  unlistedAt,
} from './evm-answers.ts'
import { isSameText, lower } from './stored-logs.ts'
import { askAgain, createWindowSize, maxAnswerBytes, patienceOf, type WindowSize } from './window-size.ts'

type EvmBlocksOptions = EvmRangeOptions & {
  /** Number of concurrent windows; see `createWindowSize`. */
  readonly underWay?: number
}

type Wish = {
  readonly numbers: readonly number[]
  readonly signal: AbortSignal | undefined
  /** Whether a transaction that still has no receipt has none; see `askAgain`. */
  readonly mayLack: boolean
}

/**
 * Blocks of an EVM chain with their receipts, read by the JSON-RPC at `route` (eth_getBlockByNumber, eth_getBlockReceipts). Coordinates are
 * block numbers. Receipts that a node does not return by block are requested one by one. Receipts and their logs come in the order of the
 * transactions. The source checks only that they are of the block. If the node does not have a block below its head, or its receipts, the
 * source throws a `TransportError`. Some chains list transactions that the block did not execute: a transaction has no receipt if the node
 * still returns none, but those of others of the block, after all tries.
 */
export function createEvmBlocks(
  connection: Connection,
  route: string,
  options: EvmBlocksOptions = {},
): RangeSource<EvmBlock> {
  const { finality, step = 1, underWay = 1 } = options
  const again = patienceOf(connection, options)
  const calls = createEvmCalls(connection, route)
  // A block and its receipts are two calls of a batch.
  const size = createWindowSize(underWay, mostCalls / 2)
  const byBlock = createMethodMemory()

  /** The requested blocks with their receipts. */
  async function read({ numbers, signal, mayLack }: Wish): Promise<(EvmBlock | null)[]> {
    const bound = { signal, maxBytes: maxAnswerBytes }
    const isAsked = byBlock.isWorthAsking()
    const requested = numbers.map((number) => [
      blockCall(hex(number), true),
      ...(isAsked ? [receiptsCall(number)] : []),
    ])
    const { groups, size: length } = await askGroups(calls, requested, { ...bound, together: isAsked ? 2 : 1 })
    const asked = numbers.map((number, at) => {
      const [outcome, ofReceipts = null] = groups[at]!
      return { number, outcome: outcome!, ofReceipts }
    })
    const blocks = await existingBlocks(calls, asked, signal)
    const answered = asked.flatMap(({ number, ofReceipts }) => {
      const block = blocks.get(number)
      return block === undefined ? [] : [answeredFor(number, block, ofReceipts, mayLack)]
    })
    const left = answered.filter(({ missing }) => missing.length > 0)
    const single = await readSingle(left, { ...bound, mayLack })
    const records = answered.map((each): EvmBlock => {
      const { number, block } = each
      const record = { number, block, receipts: single.receipts.get(number) ?? each.receipts }
      return left.includes(each) && isEmpty(each) ? { ...record, remarks: [emptyReceipts] } : record
    })
    if (isAsked) remember(left, records)
    if (single.missingAt !== null && !mayLack) throw missingBlock(single.missingAt, lacksReceipt)
    size.answered(numbers.length, length + single.size)
    const byNumber = new Map(records.map((record) => [record.number, record]))
    return numbers.map((number) => byNumber.get(number) ?? null)
  }

  function remember(left: readonly Answered[], records: readonly EvmBlock[]): void {
    if (left.some(({ receipts }) => returnedIn(receipts).length === 0)) byBlock.failed()
    else if (records.some(({ receipts }) => returnedIn(receipts).length > 0)) byBlock.succeeded()
  }

  /** The receipts of blocks with those of some transactions requested one by one; `missingAt` is a block that still has not all. */
  async function readSingle(left: readonly Answered[], { mayLack, ...bound }: Pick<Wish, 'signal' | 'mayLack'>) {
    const receipts = new Map<number, unknown>()
    let missingAt: number | null = null
    if (left.length === 0) return { receipts, missingAt, size: 0 }
    const requested = left.map(({ missing }) => missing.map(receiptCall))
    const { groups, size } = await askGroups(calls, requested, bound)
    for (const [at, each] of left.entries()) {
      const own = singleReceipts(each, groups[at]!, mayLack)
      if (own.length < each.missing.length && each.number > 0) missingAt ??= each.number
      receipts.set(each.number, arranged([...returnedIn(each.receipts), ...own], each.hashes).receipts)
    }
    return { receipts, missingAt, size }
  }

  function readSome(numbers: readonly number[], signal?: AbortSignal): Promise<(EvmBlock | null)[]> {
    const some = numbers.slice(0, size.current())
    const attempt = async (mayLack: boolean) => (await read({ numbers: some, signal, mayLack })).map(compared)
    return askAgain(attempt, again, signal)
  }

  const range = evmBlockRange<EvmBlock>({ calls, route, finality, step, size, readSome })
  return { ...range, bytes: ({ block }) => countOf(block['size']) ?? 0 }
}

/** A block with the receipts that eth_getBlockReceipts returned. The source requests those of other transactions one by one. */
type Answered = Arranged & {
  readonly number: number
  readonly block: Json
  /** The answer to eth_getBlockReceipts, if it was requested. */
  readonly outcome: RpcOutcome | null
  /** The hashes of all of its transactions. */
  readonly hashes: readonly unknown[]
}

function answeredFor(number: number, block: Json, outcome: RpcOutcome | null, mayLack: boolean): Answered {
  const hashes = hashesOf(block) ?? []
  if (!mayLack) verifyThere(number, hashes, outcome)
  return { number, block, outcome, hashes, ...arranged(receiptsByBlock(block, hashes, number, outcome), hashes) }
}

function returnedIn(receipts: unknown): readonly unknown[] {
  return Array.isArray(receipts) ? receipts : []
}

/**
 * A node that answers null lags behind, even if one request per transaction would find the receipts elsewhere. An empty list is no such sign:
 * Hedera's relay answers with it for blocks that it has.
 */
function verifyThere(number: number, hashes: readonly unknown[], outcome: RpcOutcome | null): void {
  const isNull = outcome !== null && 'result' in outcome && (outcome.result ?? null) === null
  if (isNull && number > 0 && hashes.length > 0) throw missingBlock(number, 'it has no receipts')
}

/** Whether eth_getBlockReceipts has no receipt of a block with transactions. */
function isEmpty({ outcome, receipts }: Answered): boolean {
  return outcome !== null && 'result' in outcome && returnedIn(receipts).length === 0
}

const lacksReceipt = 'the receipt of a transaction is missing'
const emptyReceipts = 'eth_getBlockReceipts returns none of their receipts, which were requested one by one'

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
function receiptsByBlock(block: Json, hashes: readonly unknown[], number: number, outcome: RpcOutcome | null): unknown {
  const count = hashes.length
  if (outcome === null || 'error' in outcome) {
    if (count === 0) return []
    if (outcome !== null && number > 0 && outcome.error.kind === 'lagging') throw failureAt(number, outcome.error)
    return null
  }
  if (!Array.isArray(outcome.result ?? [])) return outcome.result
  const receipts = ((outcome.result ?? []) as unknown[]).filter((receipt) => receipt !== null)
  // Nothing made the transactions of block 0, where it has some.
  if (receipts.length === 0 && count > 0 && number > 0) return null
  for (const receipt of receipts) verifyBlock(block, number, receipt)
  if (receipts.length > count) verifyListed(block, hashes, number, receipts)
  return receipts
}

/** A receipt of a transaction that the block leaves out. Celo had one of the block itself before its L2, which names the block. */
function verifyListed(block: Json, hashes: readonly unknown[], number: number, receipts: readonly unknown[]): void {
  const listed = new Set([...hashes, block['hash']].map(lower))
  const other = receipts.map(hashOf).find((hash) => !listed.has(lower(hash)))
  if (other !== undefined) throw unlistedAt(number, 'receipt', block, other)
}

type Arranged = {
  /** In the order of the transactions, each with its logs in order. Others than those of the transactions stay as they are. */
  readonly receipts: unknown
  /** The transactions without a receipt, if the node returned receipts of others. */
  readonly missing: readonly unknown[]
}

/** Arranges the receipts that a node returned for a block; null: it returned none. */
function arranged(receipts: unknown, hashes: readonly unknown[]): Arranged {
  if (receipts === null) return { receipts, missing: [...new Set(hashes)] }
  if (!Array.isArray(receipts) || receipts.length === 0) return { receipts, missing: [] }
  if (areInOrder(receipts, hashes)) return { receipts: receipts.map(withOrderedLogs), missing: [] }
  const positions = new Map(hashes.map((hash, at) => [lower(hash), at]))
  const positionOf = (receipt: unknown): number => positions.get(lower(hashOf(receipt))) ?? hashes.length
  const returned = new Set(receipts.map((receipt) => lower(hashOf(receipt))))
  return {
    receipts: receipts.toSorted((a, b) => positionOf(a) - positionOf(b)).map(withOrderedLogs),
    missing: hashes.filter((hash) => !returned.has(lower(hash))),
  }
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
 * which no transaction made, need not be there. Cronos and Hedera list a transaction again in a block that did not execute it: its receipt
 * names the block that did. It may also be a reorganization, so that another try must say the same.
 */
function singleReceipts(answered: Answered, outcomes: readonly RpcOutcome[], mayLack: boolean): readonly unknown[] {
  const { number, block, outcome, receipts, missing } = answered
  const all = outcomes.flatMap((single) => ('result' in single && single.result !== null ? [single.result] : []))
  const found = mayLack && headerShape(block) === null ? all.filter((receipt) => isAt(number, receipt)) : all
  for (const receipt of found) verifyBlock(block, number, receipt)
  if (number === 0 && found.length === 0) return found
  // Where the block has other receipts, a transaction that the node does not know has none.
  const hasOthers =
    returnedIn(receipts).length + found.length > 0 || (all.length > 0 && countOf(block['gasUsed']) === 0)
  const failed = outcomes.find((single) => 'error' in single && !(hasOthers && single.error.kind === 'lagging'))
  // The error of the usual request says more.
  const usual = outcome !== null && 'error' in outcome && outcome.error.kind !== 'unsupported' ? outcome.error : null
  if (failed !== undefined && 'error' in failed) throw failureAt(number, usual ?? failed.error)
  if (!hasOthers && missing.length > 0) throw missingBlock(number, lacksReceipt)
  return found
}

/** Receipts of another block than the transactions: a node lags behind, or two nodes disagree. */
function verifyBlock(block: Json, number: number, receipt: unknown): void {
  const hash = isObject(receipt) ? receipt['blockHash'] : undefined
  if (typeof hash !== 'string' || isSameText(hash, block['hash'])) return
  throw otherBlockAt(number, 'receipts', { of: hash, block: block['hash'] })
}

function withOrderedLogs(receipt: unknown): unknown {
  const logs = isObject(receipt) ? receipt['logs'] : undefined
  if (!Array.isArray(logs) || logs.length < 2 || !logs.every(isObject)) return receipt
  const sorted = inOrderOf('logIndex', logs)
  return sorted === logs ? receipt : { ...(receipt as Json), logs: sorted }
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
  if (receipts.length === 0 && Array.isArray(block['transactions']) && block['transactions'].length > 0) return record
  const found = contradictionOf(block, receipts)
  if (found === null) return record
  const said = found.kinds.map((kind) => contradictions[kind])
  if (!found.isCertain) return { ...record, remarks: [...(record.remarks ?? []), ...said] }
  throw new DecodeError(`The node contradicts itself about block ${number}: ${said.join('; ')}.`, {
    code: 'evm.own-header',
    // The node lags behind or is damaged, which another one behind the URL is not.
    kind: 'lagging',
    details: { 'block number': number, 'block hash': String(block['hash']) },
    hint: 'Nothing of this unit was written. The node returned this at every try: use another node of the chain.',
  })
}

/** A record of one block of an EVM chain, with the answer of eth_getBlockByNumber. */
type BlockRecord = { readonly number: number; readonly block: Json }

type EvmBlockRange<R> = {
  readonly calls: EvmCalls
  /** Path of the chain's JSON-RPC. */
  readonly route: string
  readonly finality: number | undefined
  readonly step: number
  readonly size: WindowSize
  /** Reads at least the first of these blocks, and as many as fit into one answer; null for a number without a block. */
  readonly readSome: (numbers: readonly number[], signal: AbortSignal | undefined) => Promise<readonly (R | null)[]>
}

/** A source with one record for each block of an EVM chain, or for each with a number that is a multiple of `step`. Null rounds have none. */
export function evmBlockRange<R extends BlockRecord>(options: EvmBlockRange<R>): RangeSource<R> {
  const { calls, route, finality, step, size, readSome } = options
  return {
    ...finalHeadOf(calls, route, finality),
    times: evmBlockTimes(calls),
    windowSize: () => size.current() * step,
    async window(from, to, signal) {
      const numbers = multiplesOf(step, from, to)
      const records: (R | null)[] = []
      while (records.length < numbers.length)
        for (const record of await readSome(numbers.slice(records.length), signal)) records.push(record)
      return records.filter((record) => record !== null)
    },
    ...(step === 1 ? { link: linkOf } : {}),
    at: ({ number }) => number,
  }
}

function linkOf({ number, block }: BlockRecord): { id: string; parentId: string | null } {
  return { id: lower(block['hash']), parentId: number === 0 ? null : lower(block['parentHash']) }
}
