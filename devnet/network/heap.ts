import { firstWhere } from '../lib.ts'

/** A queue that returns the item with the smallest `time` first. Items with equal times are returned in order of arrival. */
export type TimeQueue<T> = {
  push(time: number, item: T): void
  /** Time of the first item; `Infinity` if the queue is empty. */
  firstTime(): number
  pop(): T | undefined
}

export function createTimeQueue<T>(): TimeQueue<T> {
  /** The last entry is the first of the queue. */
  const entries: { readonly time: number; readonly item: T }[] = []
  return {
    push: (time, item) => {
      const at = firstWhere(entries, (each) => each.time <= time)
      entries.splice(at, 0, { time, item })
    },
    firstTime: () => entries.at(-1)?.time ?? Number.POSITIVE_INFINITY,
    pop: () => entries.pop()?.item,
  }
}
