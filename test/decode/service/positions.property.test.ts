import fc from 'fast-check'
import { expect, test } from 'vitest'
import { positionsOf } from '../../../pipelines/shared/service.ts'
import { testContext } from './reading.ts'

type Item = { readonly group: string; readonly row: string }

const items = fc.uniqueArray(
  fc.record({ group: fc.constantFrom('1/0', '1/1', '2/0'), row: fc.string({ maxLength: 2 }) }),
  {
    selector: ({ group, row }) => `${group} ${row}`,
    maxLength: 40,
  },
)
/** The length of each page, and how many items from the end of the previous page it repeats. */
const pages = fc.infiniteStream(
  fc.record({ length: fc.integer({ min: 1, max: 9 }), again: fc.integer({ min: 0, max: 9 }) }),
)

function positions(list: readonly Item[], cuts: Iterable<{ length: number; again: number }>): Map<Item, Set<number>> {
  const context = testContext()
  const found = new Map<Item, Set<number>>(list.map((item) => [item, new Set()]))
  let at = 0
  for (const { length, again } of cuts) {
    if (at >= list.length) break
    const positionOf = positionsOf(context)
    for (const item of list.slice(Math.max(0, at - again), at + length))
      found.get(item)!.add(positionOf(item.group, item.row))
    at += length
  }
  return found
}

test('a list that repeats items across pages gives each row one position, and groups have no gaps', () => {
  fc.assert(
    fc.property(items, pages, (list, cuts) => {
      const found = positions(list, cuts)
      const groups = new Map<string, number[]>()
      for (const [{ group }, of] of found) {
        expect(of.size).toBe(1)
        groups.set(group, [...(groups.get(group) ?? []), ...of])
      }
      for (const of of groups.values()) expect(of).toEqual(of.map((_, position) => position))
    }),
  )
})

test('equal rows of one page get different positions, and the same ones when another page repeats them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), (times, pages) => {
      const context = testContext()
      for (let page = 0; page < pages; page++) {
        const positionOf = positionsOf(context)
        const found = Array.from({ length: times }, () => positionOf('1/0', 'a'))
        expect(found).toEqual(found.map((_, position) => position))
      }
    }),
  )
})
