/** Puts the chunks of units into the order of their commits. */
type CommitOrder<P> = {
  /** Adds a chunk of a unit. The chunks of one unit arrive in order. */
  readonly add: (unit: number, chunk: P, isWhole: boolean) => void
  /** The chunks that are next in order: all earlier units are complete. */
  readonly due: () => P[]
  /** All chunks in order. Missing units between them become gaps. */
  readonly all: () => P[]
}

/** Units are numbered from 0. */
export function createCommitOrder<P>(): CommitOrder<P> {
  const waiting = new Map<number, P[]>()
  const whole = new Set<number>()
  /** The first incomplete unit. */
  let first = 0

  const take = (unit: number): P[] => {
    const chunks = waiting.get(unit) ?? []
    waiting.delete(unit)
    return chunks
  }
  const due = (): P[] => {
    const chunks = take(first)
    while (whole.delete(first)) chunks.push(...take(++first))
    return chunks
  }
  return {
    add(unit, chunk, isWhole) {
      waiting.set(unit, [...(waiting.get(unit) ?? []), chunk])
      if (isWhole) whole.add(unit)
    },
    due,
    all: () => [...due(), ...[...waiting.keys()].sort((a, b) => a - b).flatMap(take)],
  }
}
