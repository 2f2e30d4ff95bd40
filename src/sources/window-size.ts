/** The node's own limit (specification 4.5). */
export const maxWindow = 1024

/** An answer that passes this shrinks the window: larger ones are no faster and leave holes in the memory. */
export const goodAnswerBytes = 512 * 1024

/** No answer may be larger, unless it is of a single container. */
export const maxAnswerBytes = 8 * 1024 * 1024

/** How many coordinates of a range are asked for at once. */
export type WindowSize = {
  /** From 1 on. */
  current(): number
  /** An answer to `length` coordinates came; `amount`: how much it was, in the measure of the answers. */
  answered(length: number, amount: number): void
  /** An answer to `length` coordinates was too large to read. */
  tooLarge(length: number): void
}

export type WindowBounds = {
  readonly first: number
  readonly largest: number
  /** An answer of more shrinks windows; of less than half of it they grow. */
  readonly good: number
  /** How many times longer the next window may be. */
  readonly growth: number
  /** After so many good answers windows may again be as long as one that was too large. Absent: at once. */
  readonly patience?: number
}

/** Windows that become shorter or longer as answers come, since a range may be dense here and sparse there. */
export function adaptWindows({ first, largest, good, growth, patience = 0 }: WindowBounds): WindowSize {
  let size = Math.max(1, Math.min(first, largest))
  /** What windows may not pass for now, and the good answers since. */
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

/** So many windows may be under way without being made smaller. */
const fullWindows = 8

/**
 * Windows of containers or blocks, measured by the bytes of their answers, which stay below 8 MiB. Of more than eight that are `underWay`
 * at the same time each is smaller, so that all of them together take no more memory. `most`: the largest window.
 */
export function createWindowSize(underWay = 1, most = maxWindow): WindowSize {
  const share = Math.min(1, fullWindows / underWay)
  const largest = Math.max(1, Math.floor(most * share))
  return adaptWindows({ first: largest, largest, good: goodAnswerBytes * share, growth: 2 })
}
