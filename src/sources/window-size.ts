/** The node's own limit (specification 4.5). */
export const maxWindow = 1024

/** An answer that passes this shrinks the window: larger ones are no faster and leave holes in the memory. */
export const goodAnswerBytes = 512 * 1024

/** No answer may be larger, unless it is of a single container. */
export const maxAnswerBytes = 8 * 1024 * 1024

export type WindowSize = {
  /** Containers to ask for, from 1 on. */
  current(): number
  /** An answer came: `containers` of them in `bytes` of text. */
  answered(containers: number, bytes: number): void
  /** An answer to `containers` was too large to read. */
  tooLarge(containers: number): void
}

/** So many windows may be under way without being made smaller. */
const fullWindows = 8

/**
 * A window that shrinks so that answers stay below 8 MiB and doubles again while they are small. Of more than eight that are
 * `underWay` at the same time each is smaller, so that all of them together take no more memory. `most`: the largest window.
 */
export function createWindowSize(underWay = 1, most = maxWindow): WindowSize {
  const share = Math.min(1, fullWindows / underWay)
  const largest = Math.max(1, Math.floor(most * share))
  const goodBytes = goodAnswerBytes * share
  let size = largest
  const fitting = (bytesEach: number) => Math.max(1, Math.floor(goodBytes / bytesEach))
  return {
    current: () => size,
    answered(containers, bytes) {
      if (containers === 0) return
      const fits = fitting(bytes / containers)
      if (bytes > goodBytes) size = Math.min(size, fits)
      else if (containers >= size && bytes < goodBytes / 2) size = Math.min(largest, size * 2, fits)
    },
    tooLarge(containers) {
      size = Math.min(size, Math.max(1, containers >> 1))
    },
  }
}
