import type { RangeWalk, StreamDeclaration } from '../../define/index.ts'
import type { Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'

/** What a stream lacks: `slice` is to be committed, reading begins at `readFrom`, which may lie below it. */
export type Gap = {
  readonly stream: StreamDeclaration
  readonly walk: RangeWalk
  readonly slice: Slice
  readonly readFrom: number
  /** Where reading ends, which may lie beyond it. */
  readonly readTo: number
}

/** What is lacking of `[walk.from, end)`; each gap reads again some way into what is covered before it, since rows come late. */
export function gapsOf(stream: StreamDeclaration, walk: RangeWalk, end: number, covered: readonly Slice[]): Gap[] {
  const wanted = { from: walk.from, to: Math.max(walk.from, end) }
  return subtract([wanted], covered).map((slice) => {
    const before = covered.find(({ to }) => to === slice.from)
    const readFrom = before === undefined ? slice.from : Math.max(before.from, walk.from, slice.from - walk.trailing)
    const readTo = slice.to === wanted.to && walk.to === null ? slice.to + walk.ahead : slice.to
    return { stream, walk, slice, readFrom, readTo }
  })
}

export type WindowPlan = {
  /** The next window; null at the end. */
  readonly next: () => Slice | null
  /** Told how many pages a window had: later ones become longer or shorter. */
  readonly learn: (slice: Slice, pages: number) => void
}

/** Pages that a window should have: enough to be worth a request of its own, few enough to be held. */
const wantedPages = 32

/** Windows from `from` to `to`, whose length follows the number of pages that they have. */
export function planWindows(from: number, to: number, firstLength: number): WindowPlan {
  let at = from
  let length = Math.max(1, firstLength)
  return {
    next() {
      if (at >= to) return null
      const slice = { from: at, to: Math.min(to, at + length) }
      at = slice.to
      return slice
    },
    learn(slice, pages) {
      const fitting = Math.floor(((slice.to - slice.from) * wantedPages) / Math.max(1, pages))
      // An empty stretch says little of what follows: windows grow fourfold at most.
      length = Math.max(1, Math.min(fitting, (slice.to - slice.from) * 4))
    },
  }
}
