import { zeroAddress } from './evm/contracts.ts'
import type { EvmBlock, EvmLedger, EvmResult, EvmState, EvmTransfer } from './evm/state.ts'
import { ServiceError } from './plumbing/error.ts'
import { between, listRoute, type ServiceRoute, totalsOf } from './plumbing/route.ts'
import { choice, integer } from './plumbing/rules.ts'

/** Points per page, a week, of the route without a page size parameter. */
const pointsOfPage = 7

/** Average TPS of the C-Chain by day, newest first: one route as in the specification (000, 4.9), and the route of all metrics in the current service. */
export function tpsRoutes(ledger: EvmLedger): ServiceRoute[] {
  return [
    listRoute({
      path: '/v1/avg_tps/{chainId}',
      host: 'metrics',
      parameters: {},
      pageSize: { default: pointsOfPage },
      cost: 'medium',
      past: true,
      totals: async () => ({ metrics_chain_tps: totalsOf(averageTps((await ledger.atHead()).blocks)) }),
      handle: async () => {
        const { blocks } = await ledger.atHead()
        return { items: 'results', rows: averageTps(blocks), extra: { status: 200, lastRun: blocks.at(-1)?.time ?? 0 } }
      },
    }),
    metricRoute(ledger),
  ]
}

/** A point of the series: the start of a UTC day in Unix seconds, and transactions per second over that day. */
type TpsPoint = { readonly timestamp: number; readonly value: number }

type TimedBlock = { readonly time: number; readonly txCount: number }

const daySeconds = 86_400

/**
 * Average transactions per second by UTC day, newest first, from the day of the first block to that of the last one. Days without blocks
 * are 0. Values have six decimal places. `blocks` are oldest first.
 */
export function averageTps(blocks: readonly TimedBlock[]): TpsPoint[] {
  const first = blocks[0]
  const last = blocks.at(-1)
  if (first === undefined || last === undefined) return []
  const counts = new Map<number, number>()
  for (const { time, txCount } of blocks) {
    const day = dayOf(time)
    counts.set(day, (counts.get(day) ?? 0) + txCount)
  }
  const days = (dayOf(last.time) - dayOf(first.time)) / daySeconds + 1
  return Array.from({ length: days }, (_, back) => {
    const timestamp = dayOf(last.time) - back * daySeconds
    return { timestamp, value: Math.round(((counts.get(timestamp) ?? 0) / daySeconds) * 1e6) / 1e6 }
  })
}

function dayOf(time: number): number {
  return time - (time % daySeconds)
}

/** Metrics that the service has by day only. */
const byDay = /^(avg|max|cumulative)/

/** Metrics of the C-Chain over time, newest first. */
function metricRoute(ledger: EvmLedger): ServiceRoute {
  return listRoute({
    path: '/v2/chains/{chainId}/metrics/{metric}',
    host: 'metrics',
    parts: { metric: choice(chainMetrics) },
    parameters: {
      startTimestamp: integer({ least: 0 }),
      endTimestamp: integer({ least: 0 }),
      timeInterval: choice(intervals),
    },
    pageSize: { default: 100, most: 2160 },
    cost: 'medium',
    totals: async () => {
      const state = await ledger.atHead()
      // Every metric by day.
      return { metrics_chain_points: totalsOf(chainMetrics.flatMap((metric) => metricPoints(state, metric, 'day'))) }
    },
    handle: async ({ parts, query: { startTimestamp, endTimestamp, timeInterval = 'day' }, settings }) => {
      const metric = parts.metric as ChainMetric
      if (timeInterval !== 'day' && byDay.test(metric))
        throw ServiceError.invalid([`timeInterval must be day for ${metric}`])
      const within = between(settings, startTimestamp, endTimestamp)
      const points = metricPoints(await ledger.atHead(), metric, timeInterval)
      return { items: 'results', rows: points.filter(({ timestamp }) => within(timestamp)) }
    },
  })
}

/** A point of a metric: the start of an interval in Unix seconds, and the value. Sums that can exceed 2^53 are exact. */
type MetricPoint = { readonly timestamp: number; readonly value: number | bigint }

type Value = (span: Span) => number | bigint

/** The values of each metric. The function is created for each series, because cumulative metrics add up. */
const valuesOf = {
  activeAddresses: () => (span) => new Set(addressesIn(span)).size,
  activeSenders: () => (span) => new Set(sendersIn(span)).size,
  cumulativeTxCount: () => total(transactionsIn),
  cumulativeAddresses: () => totalOfDistinct(addressesIn),
  cumulativeContracts: () => total((span) => deployersIn(span).length),
  cumulativeDeployers: () => totalOfDistinct(deployersIn),
  contracts: () => (span) => deployersIn(span).length,
  deployers: () => (span) => new Set(deployersIn(span)).size,
  gasUsed: () => gasIn,
  txCount: () => transactionsIn,
  avgGps: () => (span) => rounded(Number(gasIn(span)) / daySeconds),
  maxGps: () => (span) => mostInASecond(span, ({ gasUsed }) => Number(gasUsed)),
  maxTps: () => (span) => mostInASecond(span, ({ txCount }) => txCount),
  avgGasPrice: () => averagePrice,
  maxGasPrice: () => highestPrice,
  feesPaid: () => (span) => span.blocks.reduce((sum, { feesSpent }) => sum + feesSpent, 0n),
} as const satisfies Readonly<Record<string, () => Value>>

export const chainMetrics = [...(Object.keys(valuesOf) as (keyof typeof valuesOf)[]), 'avgTps'] as const
export type ChainMetric = (typeof chainMetrics)[number]

/** The points of a metric, newest first. */
export function metricPoints(state: EvmState, metric: ChainMetric, interval: MetricInterval): MetricPoint[] {
  if (metric === 'avgTps') return averageTps(state.blocks)
  const value: Value = valuesOf[metric]()
  const points = spansOf(state, interval).map((span) => ({ timestamp: span.timestamp, value: value(span) }))
  return points.reverse()
}

function sendersIn({ results }: Span): string[] {
  return results.map(({ sender }) => sender)
}

function deployersIn({ results }: Span): string[] {
  return results.flatMap(({ sender, creates }) => (creates ? [sender] : []))
}

/** Senders of transactions, and senders and receivers of tokens. */
function addressesIn(span: Span): string[] {
  const parties = span.transfers.flatMap(({ from, to }) => [from, to])
  return [...sendersIn(span), ...parties].filter((address) => address !== zeroAddress)
}

function transactionsIn({ blocks }: Span): number {
  return blocks.reduce((sum, { txCount }) => sum + txCount, 0)
}

function gasIn({ blocks }: Span): bigint {
  return blocks.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
}

function averagePrice({ results }: Span): bigint {
  const sum = results.reduce((total, { price }) => total + price, 0n)
  return results.length === 0 ? 0n : sum / BigInt(results.length)
}

function highestPrice({ results }: Span): bigint {
  let most = 0n
  for (const { price } of results) if (price > most) most = price
  return most
}

function mostInASecond({ blocks }: Span, of: (block: Span['blocks'][number]) => number): number {
  const bySecond = new Map<number, number>()
  for (const block of blocks) bySecond.set(block.time, (bySecond.get(block.time) ?? 0) + of(block))
  return Math.max(0, ...bySecond.values())
}

function total(of: (span: Span) => number): Value {
  let sum = 0
  return (span) => (sum += of(span))
}

function totalOfDistinct(of: (span: Span) => readonly string[]): Value {
  const known = new Set<string>()
  return (span) => {
    for (const each of of(span)) known.add(each)
    return known.size
  }
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

const intervals = ['hour', 'day', 'week', 'month'] as const
export type MetricInterval = (typeof intervals)[number]

/** What happened on the chain in an interval. */
type Span = {
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
