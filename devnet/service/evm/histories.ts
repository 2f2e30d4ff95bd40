/** Values by name, with their history by block. Blocks are added in order. */
type Histories<T> = {
  set(name: string, value: T, blockNumber: number): void
  /** The current value. */
  last(name: string): T | undefined
  /** The value after a block. */
  at(name: string, blockNumber: number): T | undefined
  /** Every name that ever had a value. */
  names(): Iterable<string>
}

type History<T> = { readonly blocks: number[]; readonly values: T[] }

export function createHistories<T>(): Histories<T> {
  const histories = new Map<string, History<T>>()
  return {
    set: (name, value, blockNumber) => {
      const history = histories.get(name)
      if (history === undefined) {
        histories.set(name, { blocks: [blockNumber], values: [value] })
        return
      }
      const { blocks, values } = history
      const last = blocks.length - 1
      if (blocks[last] === blockNumber) values[last] = value
      else {
        blocks.push(blockNumber)
        values.push(value)
      }
    },
    last: (name) => histories.get(name)?.values.at(-1),
    at: (name, blockNumber) => {
      const history = histories.get(name)
      return history?.values[firstAfter(history.blocks, blockNumber) - 1]
    },
    names: () => histories.keys(),
  }
}

/** Index of the first number above a limit in a sorted list; the list's length if there is none. */
function firstAfter(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! > limit) high = middle
    else low = middle + 1
  }
  return low
}
