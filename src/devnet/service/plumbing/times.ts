import type { ServiceSettings } from './settings.ts'

/**
 * Whether a time in Unix seconds lies between two bounds that may be absent. The services do not say whether the bounds
 * themselves are in: the setting `bounds` says it here.
 */
export function between(
  { bounds }: ServiceSettings,
  startTimestamp: number | undefined,
  endTimestamp: number | undefined,
): (time: number) => boolean {
  const start = startTimestamp ?? Number.NEGATIVE_INFINITY
  const end = endTimestamp ?? Number.POSITIVE_INFINITY
  return bounds === 'inclusive' ? (time) => time >= start && time <= end : (time) => time > start && time < end
}
