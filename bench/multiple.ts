/** A run over one size of a subject, and its floor. */
export type Measurement = {
  readonly items: number
  readonly rows: number
  /** From the first request to the last commit. */
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMiB: number
  /** CPU seconds of the floor (bench/floor.ts). */
  readonly floorSeconds: number
}

/** What one more item costs, in microseconds of CPU: what is left when the start, which both sizes have, is taken away. */
export type Slope = { readonly micros: number; readonly floorMicros: number; readonly multiple: number }

/**
 * The least of each cost over rounds of the same size, the most memory: what else a machine does only adds. Throws `RangeError` when
 * rounds had different items.
 */
export function leastOf(rounds: readonly Measurement[]): Measurement {
  const [first] = rounds
  if (first === undefined || rounds.some(({ items, rows }) => items !== first.items || rows !== first.rows))
    throw new RangeError('Rounds of one size have the same items and rows.')
  const least = (cost: 'seconds' | 'cpuSeconds' | 'floorSeconds') => Math.min(...rounds.map((round) => round[cost]))
  return {
    items: first.items,
    rows: first.rows,
    seconds: least('seconds'),
    cpuSeconds: least('cpuSeconds'),
    peakMiB: Math.max(...rounds.map(({ peakMiB }) => peakMiB)),
    floorSeconds: least('floorSeconds'),
  }
}

/** How many times the CPU seconds of its floor a run took. */
export function multipleOf({ cpuSeconds, floorSeconds }: Measurement): number {
  return cpuSeconds / floorSeconds
}

/** Throws `RangeError` when both have as many items. */
export function slopeOf(small: Measurement, large: Measurement): Slope {
  const items = large.items - small.items
  if (items <= 0) throw new RangeError(`A slope needs a larger size than ${small.items} items, not ${large.items}.`)
  const micros = ((large.cpuSeconds - small.cpuSeconds) / items) * 1e6
  const floorMicros = ((large.floorSeconds - small.floorSeconds) / items) * 1e6
  return { micros, floorMicros, multiple: micros / floorMicros }
}
