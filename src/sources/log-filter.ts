/** Selects logs; all values are lower-case hexadecimal texts. */
export type LogFilter = {
  /** Contracts that emitted the logs; empty: any. */
  readonly contracts: readonly string[]
  /** Accepted topics by position; empty: any topic or none. */
  readonly topics: readonly (readonly string[])[]
}

/** Whether a log, as nodes write it, passes the filter. */
export function isPassedBy({ contracts, topics }: LogFilter, log: Readonly<Record<string, unknown>>): boolean {
  const own = Array.isArray(log['topics']) ? log['topics'].map(lowerCase) : []
  if (contracts.length > 0 && !contracts.includes(lowerCase(log['address']))) return false
  return topics.every((choices, position) => choices.length === 0 || choices.includes(own[position] ?? ''))
}

function lowerCase(value: unknown): string {
  return String(value).toLowerCase()
}
