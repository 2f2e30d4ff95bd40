import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCommitOrder } from '../../../src/run/ranges/threads.ts'

type Event = { readonly unit: number; readonly chunk: string; readonly isWhole: boolean }

/** Events of units with these numbers of chunks, in an order in which the chunks of one unit follow each other. */
function eventsOf(counts: readonly number[], picks: readonly number[]): Event[] {
  const left = counts.map((count, unit) =>
    Array.from({ length: count }, (_, at) => ({ unit, chunk: `${unit}.${at}`, isWhole: at === count - 1 })),
  )
  const events: Event[] = []
  for (let pick = 0; left.some((chunks) => chunks.length > 0); pick++) {
    const open = left.filter((chunks) => chunks.length > 0)
    events.push(open[(picks[pick % picks.length] ?? 0) % open.length]!.shift()!)
  }
  return events
}

test('chunks are committed in the order of their units, as soon as no earlier chunk is missing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(20), { minLength: 1 }),
      (counts, picks) => {
        const order = createCommitOrder<string>()
        const committed: string[] = []
        const told = new Set<string>()
        const all = counts.flatMap((count, at) => Array.from({ length: count }, (_, place) => `${at}.${place}`))
        for (const { unit, chunk, isWhole } of eventsOf(counts, picks)) {
          order.add(unit, chunk, isWhole)
          told.add(chunk)
          committed.push(...order.due())
          // No chunk that could be committed waits.
          expect(committed).toEqual(all.slice(0, committed.length))
          expect(told.has(all[committed.length] ?? '')).toBe(false)
        }
        expect(committed).toEqual(all)
      },
    ),
  )
})

test('all available chunks can be taken despite gaps, and later chunks are still committed in order', () => {
  const order = createCommitOrder<string>()
  order.add(2, 'c', true)
  order.add(1, 'b1', false)
  order.add(0, 'a1', false)
  expect(order.all()).toEqual(['a1', 'b1', 'c'])
  expect(order.all()).toEqual([])
  order.add(1, 'b2', true)
  expect(order.due()).toEqual([])
  order.add(0, 'a2', true)
  expect(order.due()).toEqual(['a2', 'b2'])
  order.add(3, 'd', true)
  expect(order.due()).toEqual(['d'])
})
