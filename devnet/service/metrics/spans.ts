import type { EvmBlock, EvmResult, EvmState, EvmTransfer } from '../evm/state.ts'

export const intervals = ['hour', 'day', 'week', 'month'] as const
export type MetricInterval = (typeof intervals)[number]

/** What happened on the chain in an interval. */
export type Span = {
  /** Start of the interval in Unix seconds. */
  readonly timestamp: number
  readonly blocks: readonly EvmBlock[]
  readonly results: readonly EvmResult[]
  readonly transfers: readonly EvmTransfer[]
}

/** The intervals of the calendar (UTC, weeks begin on Monday) from the first block to the last one, oldest first, also empty ones. */
export function spansOf({ blocks, results, transfers }: EvmState, interval: MetricInterval): Span[] {
  const spans: Span[] = []
  let [block, transfer] = [0, 0]
  const last = blocks.at(-1)
  if (last === undefined) return spans
  for (let timestamp = startOf(blocks[0]!.time, interval); timestamp <= last.time; ) {
    const end = startOf(timestamp + longest[interval], interval)
    const [firstBlock, firstTransfer] = [block, transfer]
    while (block < blocks.length && blocks[block]!.time < end) block += 1
    while (transfer < transfers.length && transfers[transfer]!.block.time < end) transfer += 1
    spans.push({
      timestamp,
      blocks: blocks.slice(firstBlock, block),
      results: results.slice(firstBlock, block).flat(),
      transfers: transfers.slice(firstTransfer, transfer),
    })
    timestamp = end
  }
  return spans
}

const hour = 3600
const day = 24 * hour
const week = 7 * day

/** The longest length of an interval in seconds: from its start, this leads into the next one. */
const longest: Readonly<Record<MetricInterval, number>> = { hour, day, week, month: 31 * day }

/** 1970 began on a Thursday. */
const firstMonday = 4 * day

function startOf(time: number, interval: MetricInterval): number {
  if (interval === 'week') return time - ((((time - firstMonday) % week) + week) % week)
  if (interval !== 'month') return time - (time % longest[interval])
  const date = new Date(time * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000
}
