import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unknownNames } from '../../src/decode/json/fields.ts'
import { runs } from '../runs.ts'

type UsualFields = Parameters<typeof unknownNames>[2]

test('unknownNames returns the unknown fields of an object, whatever objects came before it', () => {
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.constant(1))
  const growing = fc.array(fc.tuple(fc.subarray(['a', 'b', 'c', 'd', 'e']), object), { maxLength: 30 })
  fc.assert(
    fc.property(growing, (steps) => {
      const known = new Set<string>()
      const usual: UsualFields = []
      for (const [more, fields] of steps) {
        for (const name of more) known.add(name)
        expect(unknownNames(fields, known, usual)).toEqual(Object.keys(fields).filter((name) => !known.has(name)))
      }
    }),
    { numRuns: runs(200) },
  )
})
