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
