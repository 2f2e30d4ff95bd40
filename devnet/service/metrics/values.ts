import { zeroAddress } from '../evm/contracts/contract.ts'
import type { EvmState } from '../evm/state.ts'
import { averageTps } from './average-tps.ts'
import { type MetricInterval, type Span, spansOf } from './spans.ts'

/** A point of a metric: the start of an interval in Unix seconds, and the value. Sums that can exceed 2^53 are exact. */
type MetricPoint = { readonly timestamp: number; readonly value: number | bigint }

type Value = (span: Span) => number | bigint

const daySeconds = 86_400

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
