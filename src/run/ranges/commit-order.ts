/** Puts the pieces of units into the order of their commits. */
export type CommitOrder<P> = {
  /** Adds a piece of a unit. The pieces of one unit arrive in order. */
  readonly add: (unit: number, piece: P, isWhole: boolean) => void
  /** The pieces that are next in order: all earlier units are complete. */
  readonly due: () => P[]
  /** All pieces in order. Missing units between them become gaps. */
  readonly all: () => P[]
}

/** Units are numbered from 0. */
export function createCommitOrder<P>(): CommitOrder<P> {
  const waiting = new Map<number, P[]>()
  const whole = new Set<number>()
  /** The first incomplete unit. */
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
