import { fixedHex, invalid } from './arguments.ts'
import type { LogJson } from './receipts-json.ts'

/** Selects logs by contract and by the topics at each position. An empty set accepts everything. */
export type LogFilter = {
  readonly addresses: ReadonlySet<string>
  readonly topics: readonly ReadonlySet<string>[]
}

const mostTopics = 4

/** Reads `address` and `topics` of a filter as the EVM's server does. */
export function readLogFilter({
  address,
  topics,
}: {
  readonly address?: unknown
  readonly topics?: unknown
}): LogFilter {
  if (topics !== undefined && topics !== null && !Array.isArray(topics)) throw invalid(0, 'invalid topic(s)')
  const places = (topics ?? []) as readonly unknown[]
  if (places.length > mostTopics) throw invalid(0, 'exceed max topics')
  return {
    addresses: setOf(address, (text) => fixedHex(text, 0, 20, 'common.Address')),
    topics: places.map((place) => setOf(place, (text) => fixedHex(text, 0, 32, 'common.Hash'))),
  }
}

function setOf(value: unknown, read: (text: unknown) => string): ReadonlySet<string> {
  if (value === undefined || value === null) return new Set()
  const texts = Array.isArray(value) ? (value as unknown[]) : [value]
  // A position that may also be null accepts any topic.
  if (texts.includes(null)) return new Set()
  return new Set(texts.map(read))
}

export function suits({ addresses, topics }: LogFilter, log: LogJson): boolean {
  if (addresses.size > 0 && !addresses.has(log.address)) return false
  return topics.every((place, at) => (place.size === 0 ? at < log.topics.length : place.has(log.topics[at] ?? '')))
}
