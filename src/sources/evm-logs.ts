import { contradictionOf, emptyRoot, headerShape } from '../../codec/evm/block-parts.ts'
import { bloomBits } from '../../codec/keccak.ts'
import type { Connection } from '../define/connection.ts'
import type { RangeSource } from '../define/index.ts'
import { TransportError } from '../errors.ts'
import type { RpcOutcome } from '../fetch/json-rpc.ts'
import { chunksOf, getOrCreate, groupBy } from '../lib/arrays.ts'
import { isObject } from '../lib/json.ts'
import type { EvmBlockLogs, Slice } from '../model.ts'
import {
  type AskOptions,
  askBlocks,
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
  type Json,
  missingBlock,
  mostCalls,
  otherBlock,
  otherBlockAt,
  receiptsCall,
  resultOf,
  unlistedAt,
} from './evm-answers.ts'
import { isPassedBy, isSameText, type LogFilter, lower, lowerAddress } from './stored-logs.ts'
import { adaptWindows, askAgain, askWhatFits, goodAnswerBytes, patienceOf, windowTooLarge } from './window-size.ts'

type Signal = AbortSignal | undefined

type LogsByBlock = ReadonlyMap<number, readonly Json[]>

/** Receipts of blocks that are requested at once. */
const receiptsAtOnce = 4

/** After so many windows in which neither a known header nor receipts decide, filters of the chain say nothing. */
const mostUndecided = 3

/**
 * A node answers eth_getLogs for the blocks that it has, without a word about the others. Behind a gateway another node may return the headers,
 * so that nothing in the answer shows that logs are missing. Two things do: a node that is asked for the logs of one block by its hash fails if
 * it does not have the block, and the Bloom filter of a header says which logs a block may have.
 */
function createLogChecks(calls: EvmCalls, filter: LogFilter, requested: object) {
  const mayHold = bloomTest(filter)
  /** Whether the node understands `blockHash`. */
  let knowsHashes = true
  /** Whether no block is known with a Bloom filter that says something else than its receipts. */
  let agrees = true
  /** In how many windows nothing decided which of both is right. */
  let undecided = 0

  /** Receipts of blocks; none where the answer is not about the block. `isPruned`: the node has none, although the block has some. */
  async function receiptsOf(blocks: readonly (readonly [number, Json])[], signal: Signal) {
    const { outcomes } = await calls.ask(
      blocks.map(([number]) => receiptsCall(number)),
      { signal },
    )
    return blocks.map(([number, block], at) => {
      const outcome = outcomes[at]!
      return { number, receipts: receiptsIn(block, outcome), isPruned: arePruned(block, outcome) }
    })
  }

  async function logsByHash(blocks: readonly (readonly [number, Json])[], signal: Signal) {
    const { outcomes } = await calls.ask(
      blocks.map(([, block]) => ({ method: 'eth_getLogs', params: [{ blockHash: block['hash'], ...requested }] })),
      { signal },
    )
    return blocks.map(([number, block], at) => logsOfBlock(number, block, outcomes[at]!, filter))
  }

  return {
    /** The logs in the receipts of a block, if the node has all of them, and returns the logs of the block `head`; otherwise null. */
    async fromReceipts(
      number: number,
      block: Json,
      { head, signal }: { readonly head: number; readonly signal: Signal },
    ) {
      const ofHead = { fromBlock: hex(head), toBlock: hex(head), ...requested }
      const [logsOfHead] = (await calls.ask([{ method: 'eth_getLogs', params: [ofHead] }], { signal })).outcomes
      if ('error' in logsOfHead!) return null
      const [whole, read] = (await calls.ask([blockCall(hex(number), true), receiptsCall(number)], { signal })).outcomes
      if ('error' in whole! || !isObject(whole!.result) || !isSameText(whole!.result['hash'], block['hash']))
        return null
      const receipts = receiptsIn(block, read!)
      const known = new Set(receipts.map((receipt) => lower(receipt['transactionHash'])))
      const areAll =
        receipts.length > 0 &&
        receipts.every(({ logs }) => Array.isArray(logs)) &&
        hashesOf(whole!.result)?.every((hash) => known.has(lower(hash))) === true &&
        contradictionOf(whole!.result, receipts)?.isCertain !== true
      return areAll ? logsIn(receipts, filter) : null
    },
    /** The logs of blocks that the node was asked for one by one, by their hashes. */
    async byHash(blocks: ReadonlyMap<number, Json>, signal: Signal): Promise<LogsByBlock> {
      const found = new Map<number, readonly Json[]>()
      for (const chunk of chunksOf([...blocks], mostCalls)) {
        if (!knowsHashes) break
        const logs = await logsByHash(chunk, signal)
        if (logs.includes(null)) knowsHashes = false
        else for (const [at, [number]] of chunk.entries()) found.set(number, logs[at]!)
      }
      return found
    },
    /**
     * The logs of blocks for which eth_getLogs returned none although their Bloom filters say that there may be some, from their receipts. The
     * newest blocks come first: after `most` blocks without a missing log it stops. It leaves out blocks without readable receipts. Throws for a
     * block with receipts that the node has pruned: some nodes answer then as if there were no logs.
     */
    async missing(blocks: ReadonlyMap<number, Json>, found: LogsByBlock, most: number, signal: Signal) {
      const suspects = [...blocks]
        .filter(([number, block]) => !found.has(number) && mayHold(block['logsBloom']))
        .sort(([a], [b]) => b - a)
      const missing = new Map<number, readonly Json[]>()
      let checked = 0
      for (const chunk of chunksOf(suspects, receiptsAtOnce)) {
        if (checked >= most && missing.size === 0) break
        checked += chunk.length
        for (const { number, receipts } of unlessPruned(await receiptsOf(chunk, signal))) {
          const logs = logsIn(receipts, filter).filter((log) => isOf(blocks.get(number)!, log))
          if (logs.length > 0) missing.set(number, logs)
        }
      }
      return missing
    },
    /**
     * Throws if the Bloom filter of a known header disagrees with the logs of its block, and the receipts do too. On Polygon, and on the C-Chain
     * since Helicon, filters mean something else: once receipts have the logs with which a filter disagrees, filters of this chain say nothing.
     * Transactions without a receipt prove nothing.
     */
    async refuseOthers(blocks: ReadonlyMap<number, Json>, found: LogsByBlock, signal: Signal): Promise<void> {
      if (!agrees) return
      const doesAgree = bloomComparison(filter)
      const suspects = [...blocks].filter(
        ([number, block]) => found.has(number) && !doesAgree(block['logsBloom'], found.get(number)!),
      )
      if (suspects.length === 0) return
      const known = suspects.slice(0, receiptsAtOnce).filter(([, block]) => headerShape(block) !== null)
      const read = await receiptsOf(known, signal)
      const decided = read.filter(({ receipts }) => receipts.length > 0)
      for (const { number, receipts } of decided)
        if (!areThoseOf(receipts, found.get(number)!, filter))
          throw wrongLogs('has other logs of a block than its receipts', { 'block number': number })
      if (decided.length === 0) undecided++
      if (decided.length > 0 || undecided === mostUndecided) agrees = false
    },
  }
}

/**
 * The logs of a block that the node was asked for by its hash; null if the node does not understand such a request. Throws if it does not have
 * the block.
 */
function logsOfBlock(number: number, block: Json, outcome: RpcOutcome, filter: LogFilter): readonly Json[] | null {
  if ('error' in outcome) {
    if (outcome.error.kind === 'lagging') throw failureAt(number, outcome.error)
    return null
  }
  const logs = outcome.result
  if (!Array.isArray(logs) || !logs.every(isObject)) return null
  const isOwn = (log: Json): boolean => countOf(log['blockNumber']) === number && isPassedBy(filter, log)
  if (!logs.every(isOwn)) return null
  verifyBlock(number, logs, block)
  return logs
}

function isOf(block: Json, log: Json): boolean {
  return isSameText(log['blockHash'], block['hash'])
}

function receiptsIn(block: Json, outcome: RpcOutcome): readonly Json[] {
  const receipts = 'result' in outcome && Array.isArray(outcome.result) ? outcome.result.filter(isObject) : []
  // Some chains name the block only in logs.
  return receipts.filter((receipt) => receipt['blockHash'] === undefined || isOf(block, receipt))
}

/** Whether a node shows that it has pruned the receipts of a block: it says so, or it has none of a block that certainly has transactions. */
function arePruned(block: Json, outcome: RpcOutcome): boolean {
  if ('error' in outcome) return outcome.error.kind === 'pruned' || /prun/i.test(outcome.error.answer)
  const receipts = outcome.result ?? []
  const hasNone = Array.isArray(receipts) && receipts.length === 0
  return hasNone && block['transactionsRoot'] !== emptyRoot && headerShape(block) !== null
}

function unlessPruned<R extends { readonly number: number; readonly isPruned: boolean }>(read: readonly R[]) {
  const pruned = read.find(({ isPruned }) => isPruned)
  if (pruned !== undefined) throw incompleteLogs(pruned.number)
  return read
}

function logsIn(receipts: readonly Json[], filter: LogFilter): readonly Json[] {
  const logs = receipts.flatMap((receipt) => (Array.isArray(receipt['logs']) ? receipt['logs'].filter(isObject) : []))
  return logs.filter((log) => isPassedBy(filter, log))
}

/** The logs of a block from two answers: both are of this block, so the one with more is whole. Throws if neither has all of the other's. */
function mergedLogs(number: number, some: readonly Json[], others: readonly Json[]): readonly Json[] {
  const placeOf = (log: Json): string => `${countOf(log['transactionIndex'])} ${countOf(log['logIndex'])}`
  const [more, fewer] = some.length >= others.length ? [some, others] : [others, some]
  const places = new Set(more.map(placeOf))
  if (fewer.every((log) => places.has(placeOf(log)))) return more
  throw incompleteLogs(number)
}

/**
 * Whether the logs of the transactions that have receipts are those in the receipts, by addresses and topics. Some chains number logs
 * differently in receipts.
 */
function areThoseOf(receipts: readonly Json[], logs: readonly Json[], filter: LogFilter): boolean {
  const transactions = new Set(receipts.map((receipt) => lower(receipt['transactionHash'])))
  const own = logs.filter((log) => transactions.has(lower(log['transactionHash'])))
  const textOf = (log: Json): string => [lower(log['transactionHash']), ...textsOf(log)].join(' ')
  const [some, others] = [own, logsIn(receipts, filter)].map((each) => each.map(textOf).sort().join('\n'))
  return some === others
}

function textsOf({ address, topics }: Json): string[] {
  const texts = Array.isArray(topics) ? [address, ...topics] : [address]
  return texts.filter((text) => typeof text === 'string').map(lowerAddress)
}

/** The error for an answer to eth_getLogs that does not have the logs of a block. */
function incompleteLogs(number: number): TransportError {
  return new TransportError(`The answer to eth_getLogs does not have the logs of block ${number}.`, {
    code: 'evm.incomplete-logs',
    details: { 'block number': number },
    hint: 'Nothing of this window was written. Behind a gateway one node may lag behind, or have no old logs: use the URL of one node with all logs, or run again later.',
  })
}

/**
 * Tells whether the Bloom filter of a header, where it states one, has the bits of logs, and no others if the logs are all of the block.
 * Logs of a window share most addresses and topics, so the bits of each are derived once.
 */
function bloomComparison({ contracts, topics }: LogFilter): (bloom: unknown, logs: readonly Json[]) => boolean {
  const isWhole = contracts.length === 0 && topics.length === 0
  const known = new Map<string, ReturnType<typeof bloomBits>>()
  const bitsOf = (text: string) => getOrCreate(known, text, () => bloomBits(text))
  return (bloom, logs) => {
    if (!isBloom(bloom)) return true
    const stated = Buffer.from(bloom.slice(2), 'hex')
    const own = new Uint8Array(stated.length)
    for (const log of logs) for (const text of textsOf(log)) for (const { byte, bit } of bitsOf(text)) own[byte]! |= bit
    return own.every((bits, at) => (isWhole ? bits === stated[at] : (bits & stated[at]!) === bits))
  }
}

function isBloom(bloom: unknown): bloom is string {
  return typeof bloom === 'string' && /^0x[0-9a-f]{512}$/i.test(bloom)
}

/** Tests whether a Bloom filter, as a header states it, allows for logs that pass a filter. Some chains state constants, which say nothing. */
function bloomTest({ contracts, topics }: LogFilter): (bloom: unknown) => boolean {
  const choices = [contracts, ...topics].filter((texts) => texts.length > 0).map((texts) => texts.map(bloomBits))
  return (bloom) => {
    if (!isBloom(bloom) || /^0x(0*|f*)$/i.test(bloom)) return false
    const bytes = Buffer.from(bloom.slice(2), 'hex')
    return choices.every((texts) => texts.some((own) => own.every(({ byte, bit }) => (bytes[byte]! & bit) !== 0)))
  }
}

type EvmLogsOptions = Omit<EvmRangeOptions, 'step'> & {
  readonly filter: LogFilter
  /** Blocks below the head that are asked for one by one. Default 256. */
  readonly near?: number
  /** Blocks of each window before those of which the source looks at the Bloom filter. Default 4. */
  readonly samples?: number
}

/** Blocks near the head without logs of which the receipts are read, if all of them agree. */
const mostNearReceipts = 32

/** Blocks of the first window: public nodes accept no more. */
const firstBlocks = 2048
/** Blocks of the longest window, however few logs there are. */
const mostBlocks = 2 ** 20
/** Windows with larger answers are halved: parsed logs take many times the memory of their text, and several windows are under way. */
const mostAnswerBytes = 4 * goodAnswerBytes

/**
 * Logs of an EVM chain that pass a filter, read by the JSON-RPC at `route` (eth_getLogs, and eth_getBlockByNumber for the times of the
 * blocks). Coordinates are block numbers; records are blocks with such logs. The source throws a `TransportError` unless all logs are in
 * the window, in order, pass the filter, and name the block that the node has at their number.
 *
 * A node that lags behind returns the logs of the blocks that it has, without an error. So the same batch requests the last block of the
 * window: a node that has this block has all blocks before it. Behind a gateway another node may return that block. So each block near the
 * head is also asked for by its hash, and logs are compared with the Bloom filters of headers: of all blocks near the head, and of a sample of
 * the others. Where a filter says that there may be logs, receipts decide.
 */
export function createEvmLogs(
  connection: Connection,
  route: string,
  options: EvmLogsOptions,
): RangeSource<EvmBlockLogs> {
  const { filter, finality, near = 256, samples = 4 } = options
  const again = patienceOf(connection, options)
  const calls = createEvmCalls(connection, route)
  const size = adaptWindows({ first: firstBlocks, largest: mostBlocks, good: goodAnswerBytes })

  const checks = createLogChecks(calls, filter, requested(filter))
  const ofHead = finalHeadOf(calls, route, finality)
  const heads = getOrCreate(headsAt, connection, () => new Map())
  /** Asks for the last final block, and remembers it. */
  const readHead = (signal?: AbortSignal): Promise<number | null> => {
    const asked = ofHead.head(signal)
    heads.set(route, asked)
    asked.catch(() => heads.delete(route))
    return asked
  }

  /** The first block that is near the head. */
  async function firstNear(signal: Signal): Promise<number> {
    if (near === 0) return Number.POSITIVE_INFINITY
    const head = await (heads.get(route) ?? readHead(signal))
    return (head ?? -1) + 1 - near
  }

  async function read(
    from: number,
    to: number,
    { signal, tries, mayLack }: Pick<AskOptions, 'signal' | 'tries'> & { readonly mayLack: boolean },
  ): Promise<EvmBlockLogs[]> {
    const last = to - 1
    const beginning = Math.min(to, Math.max(from, await firstNear(signal)))
    const sampled = sampleOf(from, beginning, samples)
    const getLogs = { fromBlock: hex(from), toBlock: hex(last), ...requested(filter) }
    const { outcomes, size: length } = await calls.ask(
      [{ method: 'eth_getLogs', params: [getLogs] }, blockCall(hex(last), false)],
      { signal, tries, together: 2, ...(last > from ? { maxBytes: mostAnswerBytes, cut: false } : {}) },
    )
    const [said, end] = [outcomes[0]!, outcomes[1]!]
    if ('error' in said && 'error' in end && end.error.kind !== 'lagging') throw said.error
    // A node without the last block refuses the logs in its own words, which say less than that.
    const known = await existingBlocks(calls, [{ number: last, outcome: end }], signal)
    const logs = await readable(said, { from, to }, known.get(last), signal)
    const byBlock = inBlocks(logs, { from, to }, filter)
    if (looksCut(byBlock, to)) await refuseCut(calls, filter, byBlock, { from, to }, signal)
    const nearby = Array.from({ length: to - beginning }, (_, at) => beginning + at)
    await addBlocks(calls, known, { numbers: [...sampled, ...byBlock.keys(), ...nearby], whole: false }, signal)
    for (const number of byBlock.keys())
      if (!known.has(number)) throw missingBlock(number, 'the next block leaves it out')
    size.answered(to - from, length)
    for (const [number, own] of byBlock) verifyBlock(number, own, known.get(number)!)
    const complete = await completed(byBlock, known, beginning, signal)
    const records = [...complete]
      .sort(([a], [b]) => a - b)
      .map(([number, own]) => ofTransactions({ number, block: known.get(number)!, logs: own }, mayLack))
    return await inPlace(records, signal)
  }

  /**
   * The logs in an answer. A node may fail for single blocks, such as those with more logs than it returns, or with receipts in an older
   * encoding. If it returns the logs of the last final block, those of such a block are read from its receipts.
   */
  async function readable(said: RpcOutcome, { from, to }: Slice, block: Json | undefined, signal: Signal) {
    if (!('error' in said)) return logsOf(said.result)
    if (to - from > 1 || block === undefined || said.error.kind !== 'lasting') throw said.error
    const head = await (heads.get(route) ?? readHead(signal))
    const logs = head === null || head === from ? null : await checks.fromReceipts(from, block, { head, signal })
    if (logs === null) throw failureAt(from, said.error)
    return logs
  }

  /** Records with the places of transactions that their blocks state. */
  async function inPlace(records: readonly EvmBlockLogs[], signal: Signal): Promise<EvmBlockLogs[]> {
    const blocks = new Map<number, Json>()
    const numbers = records.filter(isMisplaced).map(({ number }) => number)
    await addBlocks(calls, blocks, { numbers, whole: true }, signal)
    return records.map((record) => {
      const block = blocks.get(record.number)
      if (block === undefined) return record
      if (!isSameText(block['hash'], record.block['hash'])) throw otherBlock(record.number, [record.block, block])
      return withPlacesOf(block, record, filter)
    })
  }

  /**
   * The logs of a window, with those that the node left out near the head: each block from `beginning` on is asked for by its hash. Throws if
   * logs of an earlier block are missing, since then nothing says how many are.
   */
  async function completed(
    byBlock: LogsByBlock,
    known: ReadonlyMap<number, Json>,
    beginning: number,
    signal: Signal,
  ): Promise<LogsByBlock> {
    const complete = new Map(byBlock)
    const nearby = new Map([...known].filter(([number]) => number >= beginning))
    for (const [number, own] of await checks.byHash(nearby, signal)) {
      const logs = mergedLogs(number, own, byBlock.get(number) ?? [])
      if (logs.length > 0) complete.set(number, inOrder(logs, filter))
    }
    for (const [number, own] of await checks.missing(nearby, complete, mostNearReceipts, signal))
      complete.set(number, inOrder(own, filter))
    await checks.refuseOthers(known, complete, signal)
    if (samples === 0) return complete
    const earlier = new Map([...known].filter(([number]) => number < beginning))
    const [lost] = (await checks.missing(earlier, complete, samples + 1, signal)).keys()
    if (lost !== undefined) throw incompleteLogs(lost)
    return complete
  }

  return {
    ...ofHead,
    head: readHead,
    times: evmBlockTimes(calls),
    windowSize: size.current,
    async window(from, to, signal) {
      const answered = await askWhatFits({
        size,
        count: to - from,
        ask: (count, tries) =>
          askAgain(
            (mayLack) => read(from, from + count, { signal, tries, mayLack }),
            { ...again, outageTries: tries },
            signal,
          ),
      })
      if (answered !== null && answered.count === to - from) return answered.answer
      throw windowTooLarge('The node does not return the logs of this many blocks.', { from, to, blocks: to - from })
    },
    at: ({ number }) => number,
  }
}

/** Throws for an answer with only the first logs of a range: asked for the rest of it, from the last log on, the node has more. */
async function refuseCut(calls: EvmCalls, filter: LogFilter, found: LogsByBlock, { from, to }: Slice, signal: Signal) {
  const [last, own] = [...found].at(-1)!
  const [first, expected] = last > from ? [last, own.length] : [last + 1, 0]
  if (first >= to) return
  const rest = { fromBlock: hex(first), toBlock: hex(to - 1), ...requested(filter) }
  const { outcomes } = await calls.ask([{ method: 'eth_getLogs', params: [rest] }], { signal })
  if (logsOf(resultOf(outcomes[0]!)).length > expected)
    throw windowTooLarge('The node returns only the first logs of this many blocks.', { from, to, blocks: to - from })
}

type WantedBlocks = {
  readonly numbers: readonly number[]
  /** With whole transactions. */
  readonly whole: boolean
}

/** Adds blocks, except null rounds. */
async function addBlocks(
  calls: EvmCalls,
  known: Map<number, Json>,
  { numbers, whole }: WantedBlocks,
  signal: Signal,
): Promise<void> {
  const unknown = [...new Set(numbers)].filter((number) => !known.has(number))
  for (const chunk of chunksOf(unknown, mostCalls)) {
    const asked = await askBlocks(calls, chunk, whole, { signal })
    for (const [number, block] of await existingBlocks(calls, asked, signal)) known.set(number, block)
  }
}

/** The last final blocks of chains, by route: the sources of a job share them. */
const headsAt = new WeakMap<Connection, Map<string, Promise<number | null>>>()

function requested({ contracts, topics }: LogFilter): object {
  return {
    ...(contracts.length === 0 ? {} : { address: contracts }),
    ...(topics.length === 0 ? {} : { topics: topics.map((choices) => (choices.length === 0 ? null : choices)) }),
  }
}

function logsOf(result: unknown): readonly Json[] {
  if (Array.isArray(result) && result.every(isObject)) return result
  throw wrongLogs('is not a list of logs', {})
}

/** Fewer logs than any node returns at most. */
const fewestCut = 100

/**
 * Whether an answer may have only the first logs of its range, as some nodes return them without a word: it has a round number of logs, or its
 * end is without logs for longer than any other part.
 */
function looksCut(byBlock: LogsByBlock, to: number): boolean {
  const numbers = [...byBlock.keys()]
  const count = [...byBlock.values()].reduce((sum, own) => sum + own.length, 0)
  if (count < fewestCut) return false
  const gaps = [...numbers.slice(1), to - 1].map((number, at) => number - numbers[at]!)
  const atEnd = gaps.pop()!
  return count % 100 === 0 || count % 1024 === 0 || (atEnd > 0 && gaps.every((gap) => gap < atEnd))
}

/** Logs by block, in the order of the chain, whatever the order of the answer. */
function inBlocks(logs: readonly Json[], { from, to }: Slice, filter: LogFilter) {
  const blocks = groupBy(logs, (log) => countOf(log['blockNumber']) ?? -1)
  for (const number of blocks.keys())
    if (number !== -1 && (number < from || number >= to))
      throw wrongLogs('has a log of another block', { 'block number': number })
  return new Map([...blocks].sort(([a], [b]) => a - b).map(([number, own]) => [number, inOrder(own, filter)]))
}

/** The logs of a block in the order of the chain. Throws unless they pass the filter and each has a place of its own. */
function inOrder(logs: readonly Json[], filter: LogFilter): readonly Json[] {
  const placed = logs.map((log) => {
    const [number, index] = [countOf(log['blockNumber']), countOf(log['logIndex'])]
    const details = { 'block number': number, 'log index': index }
    if (number === null || index === null) throw wrongLogs('has a log without a block number or log index', details)
    if (!isPassedBy(filter, log)) throw wrongLogs('has a log that does not pass the filter', details)
    return { log, details, transaction: countOf(log['transactionIndex']) ?? 0, index }
  })
  placed.sort((a, b) => a.transaction - b.transaction || a.index - b.index)
  const twice = placed.find(
    ({ transaction, index }, at) => placed[at - 1]?.transaction === transaction && placed[at - 1]?.index === index,
  )
  if (twice !== undefined) throw wrongLogs('has two logs with one index', twice.details)
  return placed.map(({ log }) => log)
}

/** Logs of another block than the header: nodes behind a gateway disagree. */
function verifyBlock(number: number, logs: readonly Json[], block: Json): void {
  const other = logs.find((log) => !isOf(block, log))
  if (other !== undefined) throw otherBlockAt(number, 'logs', { of: other['blockHash'], block: block['hash'] })
}

/**
 * Throws for a log of a transaction that the header does not list: the header leaves it out, or is of another block. Celo had logs of blocks
 * themselves before its L2: they name the block in the place of the transaction, and come after those of all transactions. Harmony lists only
 * some of its transactions. Logs after those of the listed ones, if there are some, are left out where the header proves nothing and no
 * further try is left. So are logs of zkSync that name no transaction, in blocks without any.
 */
function ofTransactions(record: EvmBlockLogs, mayLack: boolean): EvmBlockLogs {
  const { number, block, logs } = record
  const hashes = hashesOf(block)
  if (hashes === null) return record
  const listed = new Set(hashes.map(lower))
  const isListed = ({ transactionHash: hash, transactionIndex: index }: Json): boolean =>
    listed.has(lower(hash)) || (lower(hash) === lower(block['hash']) && countOf(index) === hashes.length)
  const others = logs.filter((log) => !isListed(log))
  if (others.length === 0) return record
  const isAfter = ({ transactionIndex: index }: Json): boolean => (countOf(index) ?? 0) >= hashes.length
  const isOfNone = ({ transactionHash: hash }: Json): boolean => hashes.length === 0 && hash === noTransaction
  const mayBeHidden = (log: Json): boolean => isOfNone(log) || (mayLack && hashes.length > 0 && isAfter(log))
  const refused = headerShape(block) === null ? others.find((log) => !mayBeHidden(log)) : others[0]
  if (refused !== undefined) throw unlistedAt(number, 'log', block, refused['transactionHash'])
  return { ...record, logs: logs.filter(isListed), remarks: [unlistedLogs] }
}

const noTransaction = `0x${'0'.repeat(64)}`
const unlistedLogs = 'eth_getLogs has logs of transactions that the block does not list, which are left out'

/** Whether a log states another place than that of its transaction in the list of the block. Some chains list only some of theirs. */
function isMisplaced({ block, logs }: EvmBlockLogs): boolean {
  const hashes = hashesOf(block) ?? []
  const others = logs.filter(
    ({ transactionHash: hash, transactionIndex: index }) => !isSameText(hashes[countOf(index) ?? -1], hash),
  )
  if (others.length === 0) return false
  const listed = new Set(hashes.map(lower))
  return others.some(({ transactionHash: hash }) => listed.has(lower(hash)))
}

/**
 * Logs with the places of transactions that the block states, which names them by their hashes. Some nodes count otherwise in logs: those of
 * Sei and Oasis counted transactions that the block leaves out, and those of Sonic did so near the head. A header that proves the places of
 * transactions is of another block than such logs, or the node is damaged.
 */
function withPlacesOf(block: Json, record: EvmBlockLogs, filter: LogFilter): EvmBlockLogs {
  const transactions = (block['transactions'] as readonly unknown[]).filter(isObject)
  const indices = new Map(transactions.map((each) => [lower(each['hash']), each['transactionIndex']]))
  const placeOf = (hash: unknown, index: unknown): string => `${lower(hash)} ${countOf(index)}`
  // Hedera may list a transaction twice.
  const places = new Set(transactions.map((each) => placeOf(each['hash'], each['transactionIndex'])))
  const differs = ({ transactionHash: hash, transactionIndex: index }: Json): boolean =>
    countOf(indices.get(lower(hash))) !== null && !places.has(placeOf(hash, index))
  const other = record.logs.find(differs)
  if (other === undefined) return record
  const { number, logs, remarks = [] } = record
  if (headerShape(block) !== null)
    throw new TransportError(`Logs of block ${number} state another transactionIndex than the block.`, {
      code: 'evm.other-block',
      details: {
        'block number': number,
        'block hash': String(block['hash']),
        transaction: String(other['transactionHash']),
      },
      hint: 'Nothing of this window was written. The node returned this at every try: use another node of the chain.',
    })
  const placed = logs.map((log) =>
    differs(log) ? { ...log, transactionIndex: indices.get(lower(log['transactionHash'])) } : log,
  )
  return { ...record, logs: inOrder(placed, filter), remarks: [...remarks, otherPlaces] }
}

const otherPlaces = 'eth_getLogs states another transactionIndex than the block, and that of the block is kept'

/** Up to `count` blocks of a range, evenly spread, with the first and the last one. */
function sampleOf(from: number, to: number, count: number): number[] {
  if (to <= from || count === 0) return []
  const step = Math.max(1, (to - 1 - from) / Math.max(1, count - 1))
  return [...new Set(Array.from({ length: count }, (_, at) => Math.min(to - 1, Math.round(from + at * step))))]
}

function wrongLogs(what: string, details: Record<string, number | null>): TransportError {
  return new TransportError(`The answer to eth_getLogs ${what}.`, {
    code: 'evm.logs',
    details,
    hint: 'Nothing of this window was written. The node, or a gateway in front of it, does not follow the request: use another node.',
  })
}
