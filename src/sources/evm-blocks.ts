import { contradictionOf, contradictions } from '../codec/evm/own-header.ts'
import type { Connection } from '../define/connection.ts'
import type { RangeSource } from '../define/index.ts'
import { DecodeError } from '../errors.ts'
import type { EvmBlock } from '../model.ts'
import { askAgain } from './ask-again.ts'
import {
  blockCall,
  blockOf,
  countOf,
  hex,
  isObject,
  type Json,
  missingBlock,
  receiptCall,
  resultFor,
  usualFinality,
} from './evm-answers.ts'
import { evmBlockRange } from './evm-block-range.ts'
import { createEvmCalls, mostCalls } from './evm-calls.ts'
import { isBehind, isContradicting, isMissingMethod } from './evm-refusals.ts'
import { createWindowSize, maxAnswerBytes } from './window-size.ts'

export type EvmBlocksOptions = {
  /** Number of newest blocks that do not count as final if the node does not say which block is final. Default 64. */
  readonly finality?: number
  /** Reads only blocks with numbers that are multiples of this. Default 1: all blocks. */
  readonly step?: number
  /** Number of concurrent windows; see `createWindowSize`. */
  readonly underWay?: number
  /** How often blocks are requested that the node does not seem to have yet. Default 4. */
  readonly tries?: number
  /** Bound of the wait before the second of these tries; it doubles. Default 500 ms. */
  readonly waitMs?: number
}

type Wish = { readonly numbers: readonly number[]; readonly signal: AbortSignal | undefined }

/**
 * Blocks of an EVM chain with their receipts, read by the JSON-RPC at `route` (eth_getBlockByNumber, eth_getBlockReceipts). Coordinates are
 * block numbers. If a node does not know eth_getBlockReceipts, the source requests each receipt separately. It checks only the numbers of
 * the blocks. If the node does not have a block below its head, the source throws a `TransportError`.
 */
export function createEvmBlocks(
  connection: Connection,
  route: string,
  options: EvmBlocksOptions = {},
): RangeSource<EvmBlock> {
  const { finality = usualFinality, step = 1, underWay = 1, tries = 4, waitMs = 500 } = options
  const calls = createEvmCalls(connection, route)
  // A block and its receipts are two calls of a batch.
  const size = createWindowSize(underWay, mostCalls / 2)
  let receiptsOfBlocks = true

  /** The requested blocks with their receipts. */
  async function read({ numbers, signal }: Wish): Promise<EvmBlock[]> {
    const bound = { signal, maxBytes: maxAnswerBytes }
    const requested = numbers.flatMap((number) => [
      blockCall(hex(number), true),
      ...(receiptsOfBlocks ? [{ method: 'eth_getBlockReceipts', params: [hex(number)] }] : []),
    ])
    const { outcomes, size: length } = await calls.ask(requested, {
      ...bound,
      together: requested.length / numbers.length,
    })
    const each = outcomes.length / numbers.length
    const blocks = numbers.map((number, at) => blockOf(number, outcomes[at * each]!))
    const ofBlocks = outcomes.filter((_, at) => at % each === 1)
    if (each === 2 && !ofBlocks.some(isMissingMethod)) {
      size.answered(numbers.length, length)
      return numbers.map((number, at) => {
        const receipts = resultFor(number, ofBlocks[at]!)
        if (receipts === null) throw missingBlock(number, 'it has no receipts')
        return { number, block: blocks[at]!, receipts }
      })
    }
    receiptsOfBlocks = false
    const hashes = blocks.map(hashesOf)
    const single = await calls.ask(hashes.flat().map(receiptCall), bound)
    size.answered(numbers.length, length + single.size)
    let taken = 0
    return numbers.map((number, at) => {
      const receipts = single.outcomes.slice(taken, taken + hashes[at]!.length).map((each) => resultFor(number, each))
      taken += receipts.length
      if (receipts.includes(null)) throw missingBlock(number, 'the receipt of a transaction is missing')
      return { number, block: blocks[at]!, receipts }
    })
  }

  function readSome({ numbers, signal }: Wish): Promise<EvmBlock[]> {
    const wish = { numbers: numbers.slice(0, size.current()), signal }
    return askAgain(
      async () => (await read(wish)).map(compared),
      { isTransient: (error) => isBehind(error) || isContradicting(error), tries, waitMs },
      signal,
    )
  }

  const range = evmBlockRange<EvmBlock>({
    calls,
    route,
    finality,
    step,
    size,
    readSome: (numbers, signal) => readSome({ numbers, signal }),
  })
  return { ...range, bytes: ({ block }) => countOf(block['size']) ?? 0 }
}

/**
 * A block whose transactions and receipts its own header does not contradict. Throws `DecodeError` for one of another kind, unless the chain
 * may have another kind of header.
 */
function compared(record: EvmBlock): EvmBlock {
  const { number, block, receipts } = record
  if (!Array.isArray(receipts) || !receipts.every(isObject)) return record
  // A node that has the block and not yet its receipts lags behind.
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
