/** The costs of a run over one size of a subject, and of its floor. */
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

/** CPU of one more item, in microseconds: the difference between both sizes, so the cost of the start is not in it. */
export type Slope = { readonly micros: number; readonly floorMicros: number; readonly multiple: number }

/**
 * The smallest time and the largest memory of rounds of the same size: other work of the machine can only add time. Throws `RangeError` when
 * rounds had different numbers of items or rows.
 */
export function leastOf(rounds: readonly Measurement[]): Measurement {
  const [first] = rounds
  if (first === undefined || rounds.some(({ items, rows }) => items !== first.items || rows !== first.rows))
    throw new RangeError('Rounds of one size must have the same numbers of items and rows.')
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

/** CPU seconds of a run divided by those of its floor. */
export function multipleOf({ cpuSeconds, floorSeconds }: Measurement): number {
  return cpuSeconds / floorSeconds
}

/** Throws `RangeError` unless the second measurement has more items. */
export function slopeOf(small: Measurement, large: Measurement): Slope {
  const items = large.items - small.items
  if (items <= 0) throw new RangeError(`A slope needs a larger size than ${small.items} items, not ${large.items}.`)
  const micros = ((large.cpuSeconds - small.cpuSeconds) / items) * 1e6
  const floorMicros = ((large.floorSeconds - small.floorSeconds) / items) * 1e6
  return { micros, floorMicros, multiple: micros / floorMicros }
}
