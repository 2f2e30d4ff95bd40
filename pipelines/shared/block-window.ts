import { checkChain } from '../../src/decode/json/token-fields.ts'
import { count } from '../../src/decode/json/value-fields.ts'
import { newestOf } from '../../src/decode/service/chain-lists.ts'
import { type List, p, type RangeWalk, type RequestedRange, type Tables } from '../../src/define/index.ts'
import type { Slice } from '../../src/model.ts'
import { requestOf, serviceRoutes } from '../../src/sources/service-routes.ts'
import { mustBeRange } from './service-job.ts'
import { chainId, network, pageSize, trailingBlocks } from './service-parameters.ts'

/** Parameters of the routes that list transfers (specification 4.4). */
export const transferParameters = {
  network,
  'chain-id': chainId,
  'start-block': p.whole(
    'Number of the first block, inclusive (default: the genesis block). A date is refused: the service has no route that finds the block of a time.',
  ),
  'end-block': p.whole('Last block, exclusive (default: the newest block of the service).'),
  'trailing-blocks': trailingBlocks,
  'page-size': pageSize(100),
}

const byTime = {
  why: 'The routes of transfers take blocks, and the service has no route that finds the block of a time.',
  instead: 'Give block numbers with start-block and end-block.',
}

/** Parameters that lists of transfers refuse: they have start-block and end-block instead, which take no times. */
export const refusedOfTransfers = { from: byTime, to: byTime, range: byTime }

type Blocks = {
  readonly 'chain-id': string
  readonly 'start-block': number | undefined
  readonly 'end-block': number | undefined
  readonly 'trailing-blocks': number | undefined
}

/** Transfers in the blocks of a slice. A service may treat the end of a range as inclusive. */
export function requestedBlocks(slice: Slice): RequestedRange {
  return { column: 'block_number', holds: 'numbers', slice, margin: { before: 0, after: 1 } }
}

/** Number of blocks in the first request; services accept that many. */
const first = 10_000

const usualTrailing = 200

/**
 * Transfers by ranges of blocks, up to the newest block of the service at the time of the run. Throws `ConfigError` when the
 * range of the job is empty.
 */
export function blockWindow<T extends Tables>(values: Blocks, list: (slice: Slice) => List<T>): RangeWalk<T> {
  const {
    'chain-id': chainId,
    'start-block': from = 0,
    'end-block': to,
    'trailing-blocks': trailing = usualTrailing,
  } = values
  mustBeRange(['start-block', from], ['end-block', to])
  const request = requestOf(serviceRoutes.evmBlocks, { chainId }, { pageSize: 1 })
  const head = { request, decode: newestBlock(chainId) }
  return { kind: 'blockWindow', from, to: to ?? null, head, ahead: 0, list, trailing, first }
}

/** The number of the newest block in an answer; null if there is none. */
export function newestBlock(chainId: string) {
  return (answer: unknown): number | null =>
    newestOf(answer, 'blocks', null, (block) => {
      checkChain(block, chainId)
      return count(block, 'blockNumber')
    })
}
