import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cached, remembered } from '../../codec/ids.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Few values of few lengths, so that they repeat and replace each other in the cache. */
const values = fc.array(
  fc.uint8Array({ minLength: 1, maxLength: 4, max: 2 }).map((bytes) => new Uint8Array([...bytes, 7, 7])),
  { maxLength: 60 },
)

test.each([
  ['of one length', () => cached(4, hex)],
  ['of any length', () => remembered(hex)],
])('cached texts of byte strings %s match their bytes, even when the memory of the bytes is reused', (_, create) => {
  fc.assert(
    fc.property(values, (values) => {
      const text = create()
      const memory = new Uint8Array(8)
      for (const value of values) {
        memory.set(value)
        expect(text(memory.subarray(0, value.length))).toBe(hex(value))
      }
    }),
  )
})

test('the text of the same bytes is created once, except for bytes that are too long', () => {
  let made = 0
  const text = remembered((bytes) => `${made++} of ${bytes.length}`)
  const [certificate, long] = [new Uint8Array(600).fill(3), new Uint8Array(5000).fill(3)]
  expect([text(certificate), text(certificate.slice()), text(long), text(long)]).toEqual([
    '0 of 600',
    '0 of 600',
    '1 of 5000',
    '2 of 5000',
  ])
})
