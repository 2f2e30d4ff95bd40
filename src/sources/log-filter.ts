/** Which logs are asked for; lower-case hexadecimal texts. */
export type LogFilter = {
  /** Contracts that wrote them; none: any. */
  readonly contracts: readonly string[]
  /** By position, what the topic there may be; none: anything, also that there is none. */
  readonly topics: readonly (readonly string[])[]
}

/** Whether a log, as nodes write it, is one that was asked for. */
export function isPassedBy({ contracts, topics }: LogFilter, log: Readonly<Record<string, unknown>>): boolean {
  const own = Array.isArray(log['topics']) ? log['topics'].map(lowerCase) : []
  if (contracts.length > 0 && !contracts.includes(lowerCase(log['address']))) return false
  return topics.every((choices, position) => choices.length === 0 || choices.includes(own[position] ?? ''))
}

function lowerCase(value: unknown): string {
  return String(value).toLowerCase()
}
