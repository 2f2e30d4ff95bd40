/** A queue that returns the item with the smallest `time` first. Items with equal times are returned in order of arrival. */
export type TimeQueue<T> = {
  push(time: number, item: T): void
  /** Time of the first item; `Infinity` if the queue is empty. */
  firstTime(): number
  pop(): T | undefined
  size(): number
}

type Entry<T> = { readonly time: number; readonly order: number; readonly item: T }

export function createTimeQueue<T>(): TimeQueue<T> {
  const heap: Entry<T>[] = []
  let order = 0
  const before = (a: Entry<T>, b: Entry<T>): boolean => a.time < b.time || (a.time === b.time && a.order < b.order)
  const swap = (i: number, j: number): void => {
    const held = heap[i]!
    heap[i] = heap[j]!
    heap[j] = held
  }
  const rise = (start: number): void => {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!before(heap[at]!, heap[parent]!)) return
      swap(at, parent)
      at = parent
    }
  }
  const sink = (): void => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      if (left >= heap.length) return
      const right = left + 1
      const child = right < heap.length && before(heap[right]!, heap[left]!) ? right : left
      if (!before(heap[child]!, heap[at]!)) return
      swap(at, child)
      at = child
    }
  }
  return {
    push: (time, item) => {
      heap.push({ time, order: order++, item })
      rise(heap.length - 1)
    },
    firstTime: () => heap[0]?.time ?? Number.POSITIVE_INFINITY,
    pop: () => {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined) return undefined
      if (heap.length > 0) {
        heap[0] = last
        sink()
      }
      return first.item
    },
    size: () => heap.length,
  }
}
