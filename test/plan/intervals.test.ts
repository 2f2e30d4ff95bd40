import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Slice } from '../../src/model.ts'
import { countOf, intersect, normalise, subtract } from '../../src/plan/intervals.ts'
import { runs } from '../runs.ts'

const size = 40
const slice = fc
  .tuple(fc.nat(size), fc.nat(size))
  .map(([a, b]): Slice => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const slices = fc.array(slice, { maxLength: 8 })

/** The naive model: the integers in the slices. */
function model(list: readonly Slice[]): Set<number> {
  const set = new Set<number>()
  for (const { from, to } of list) for (let i = from; i < to; i++) set.add(i)
  return set
}

function canonical(set: ReadonlySet<number>): Slice[] {
  const result: { from: number; to: number }[] = []
  for (let i = 0; i <= size; i++) {
    if (!set.has(i)) continue
    const last = result.at(-1)
    if (last?.to === i) last.to = i + 1
    else result.push({ from: i, to: i + 1 })
  }
  return result
}

const keep = (set: ReadonlySet<number>, test: (value: number) => boolean) => new Set([...set].filter(test))

test('normalise, intersect and subtract match the operations on sets and return canonical form', () => {
  fc.assert(
    fc.property(slices, slices, (a, b) => {
      const [x, y] = [model(a), model(b)]
      expect(normalise(a)).toEqual(canonical(x))
      expect(normalise([...a, ...b])).toEqual(canonical(new Set([...x, ...y])))
      expect(intersect(a, b)).toEqual(canonical(keep(x, (value) => y.has(value))))
      expect(subtract(a, b)).toEqual(canonical(keep(x, (value) => !y.has(value))))
      expect(countOf(a)).toBe(x.size)
    }),
    { numRuns: runs(1000) },
  )
})

test('the functions do not change their arguments', () => {
  const list = Object.freeze([Object.freeze({ from: 5, to: 9 }), Object.freeze({ from: 0, to: 6 })])
  expect(normalise(list)).toEqual([{ from: 0, to: 9 }])
  expect(subtract(list, [{ from: 2, to: 3 }])).toEqual([
    { from: 0, to: 2 },
    { from: 3, to: 9 },
  ])
})
