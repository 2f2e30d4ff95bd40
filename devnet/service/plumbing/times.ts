import type { ServiceSettings } from './settings.ts'

/**
 * Whether a time in Unix seconds is between two optional bounds. The services do not document whether the bounds themselves are included;
 * here the setting `bounds` determines it.
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
