import { expect, test } from 'vitest'
import { endsOfAnswer } from '../../../src/cli/terminal/answer.ts'

async function* chunks(count: number, size: number) {
  for (let from = 0; from < count; from += size)
    yield Array.from({ length: Math.min(size, count - from) }, (_, at) => [from + at])
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => [from + at])

test.each([1, 7, 2_048])('an answer of up to 40 rows is whole, with chunks of %i rows', async (size) => {
  for (const count of [0, 1, 39, 40])
    expect(await endsOfAnswer(chunks(count, size))).toEqual({ first: numbers(0, count), last: [], count })
})

test.each([1, 7, 2_048])(
  'of a longer one the first and the last 20 rows are read, with chunks of %i rows',
  async (size) => {
    for (const count of [41, 45, 60, 1_000])
      expect(await endsOfAnswer(chunks(count, size))).toEqual({
        first: numbers(0, 20),
        last: numbers(count - 20, count),
        count,
      })
  },
)

test('a very long answer is not read to its end', async () => {
  const { first, last, count } = await endsOfAnswer(chunks(Number.POSITIVE_INFINITY, 2_048))
  expect([first, last, count]).toEqual([numbers(0, 40), [], null])
})
