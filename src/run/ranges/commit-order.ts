/** Puts what comes of units into the order in which it is committed. */
export type CommitOrder<P> = {
  /** Takes a piece of a unit; those of one unit come in order. */
  readonly add: (unit: number, piece: P, isWhole: boolean) => void
  /** What no unit before has anything to come for. */
  readonly due: () => P[]
  /** All that is there, in order: what is missing between becomes a gap. */
  readonly all: () => P[]
}

/** Units are numbered from 0. */
export function createCommitOrder<P>(): CommitOrder<P> {
  const waiting = new Map<number, P[]>()
  const whole = new Set<number>()
  /** The first unit that is not whole. */
  let first = 0

  const take = (unit: number): P[] => {
    const pieces = waiting.get(unit) ?? []
    waiting.delete(unit)
    return pieces
  }
  const due = (): P[] => {
    const pieces = take(first)
    while (whole.delete(first)) pieces.push(...take(++first))
    return pieces
  }
  return {
    add(unit, piece, isWhole) {
      waiting.set(unit, [...(waiting.get(unit) ?? []), piece])
      if (isWhole) whole.add(unit)
    },
    due,
    all: () => [...due(), ...[...waiting.keys()].sort((a, b) => a - b).flatMap(take)],
  }
}
