const hourMs = 3_600_000

/**
 * The grains to which times are cut, from the finest, each with the longest span (milliseconds) that uses it. A picture then has some
 * hundred bars at most.
 */
const grains = [
  ['minute', 3 * hourMs],
  ['hour', 5 * 24 * hourMs],
  ['day', 400 * 24 * hourMs],
  ['week', 2_600 * 24 * hourMs],
  ['month', Number.POSITIVE_INFINITY],
] as const

export type Grain = (typeof grains)[number][0]

/** The grain for a span of this many milliseconds. */
export function grainFor(lengthMs: number): Grain {
  return grains.find(([, mostMs]) => lengthMs <= mostMs)?.[0] ?? 'month'
}

/** SQL that cuts a TIMESTAMPTZ in UTC, whatever the time zone of the session. */
export function cutTime(grain: Grain, column: string): string {
  return `date_trunc('${grain}', ${column} AT TIME ZONE 'UTC')`
}
