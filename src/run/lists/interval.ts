import type { Interval } from '../../define/index.ts'

/**
 * The time that is `count` intervals after a time, or before it if `count` is negative, in Unix seconds. A month that does not have the day
 * of the time ends the interval with its last day.
 */
export function timeAfter(time: number, interval: Interval, count: number): number {
  if (interval !== 'month') return time + count * interval
  const begin = new Date(time * 1000)
  const [year, month] = [begin.getUTCFullYear(), begin.getUTCMonth() + count]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const sinceMidnight = begin.getTime() - Date.UTC(year, begin.getUTCMonth(), begin.getUTCDate())
  return (Date.UTC(year, month, Math.min(begin.getUTCDate(), lastDay)) + sinceMidnight) / 1000
}
