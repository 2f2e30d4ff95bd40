/** The node's own limit (specification 4.5). */
const maxWindow = 1024

/** A larger answer shrinks the window: large answers are no faster and fragment the memory. */
export const goodAnswerBytes = 512 * 1024

/** Size limit of an answer in bytes, except for the answer with a single container. */
export const maxAnswerBytes = 8 * 1024 * 1024

/** Decides how many coordinates of a range one window has. */
export type WindowSize = {
  /** From 1 on. */
  current(): number
  /** Reports an answer for `length` coordinates; `amount`: its size, such as bytes. */
  answered(length: number, amount: number): void
  /** Reports that the answer for `length` coordinates was too large to read. */
  tooLarge(length: number): void
}

export type WindowBounds = {
  readonly first: number
  readonly largest: number
  /** Larger answers shrink the window; answers below half of this size grow it. */
  readonly good: number
  /** Maximum factor by which the next window may be longer. */
  readonly growth: number
  /** Number of good answers before windows may again be as long as one that was too large. Default 0. */
  readonly patience?: number
}

/** Adapts the window to the size of the answers, since parts of a range may be dense and others sparse. */
export function adaptWindows({ first, largest, good, growth, patience = 0 }: WindowBounds): WindowSize {
  let size = Math.max(1, Math.min(first, largest))
  /** Current upper bound of the window, and the number of good answers since it was set. */
  let bound = largest
  let goodAnswers = 0
  return {
    current: () => size,
    answered(length, amount) {
      if (length === 0) return
      if (++goodAnswers > patience) bound = largest
      const fits = Math.max(1, Math.floor((good * length) / Math.max(1, amount)))
      if (amount > good) size = Math.min(size, fits)
      else if (length >= size && amount < good / 2) size = Math.max(size, Math.min(bound, size * growth, fits))
    },
    tooLarge(length) {
      size = Math.min(size, Math.max(1, Math.floor(length / 2)))
      bound = size
      goodAnswers = 0
    },
  }
}

/** Number of concurrent windows with the full size. */
const fullWindows = 8

/**
 * Windows of containers or blocks, measured in bytes of their answers, which stay below 8 MiB. If more than eight windows are `underWay` at
 * the same time, each is smaller, so that together they take no more memory. `most`: the largest window.
 */
export function createWindowSize(underWay = 1, most = maxWindow): WindowSize {
  const share = Math.min(1, fullWindows / underWay)
  const largest = Math.max(1, Math.floor(most * share))
  return adaptWindows({ first: largest, largest, good: goodAnswerBytes * share, growth: 2 })
}
