import { describe, expect, test } from 'vitest'
import { table } from '../../../schemas/shared/table.ts'
import { identity, t } from '../../../src/define/index.ts'
import { DecodeError } from '../../../src/errors.ts'
import { createRowMemory } from '../../../src/run/rows/list-batch.ts'

const transfers = table({
  name: 'rest_moves',
  comment: 'Moves.',
  key: ['network', 'position'],
  sortBy: ['position'],
  partitionBy: [identity('network')],
  lasting: ['amount'],
  columns: {
    network: t.text('Network.'),
    position: t.int64('Position.'),
    amount: t.decimal38('Amount.'),
    token_name: t.text('Name.'),
  },
})
const row = (amount: bigint, token_name = 'Coin') => ({ network: 'fuji', position: 7, amount, token_name })

function refusal(act: () => unknown): DecodeError {
  try {
    act()
  } catch (error) {
    if (error instanceof DecodeError) return error
  }
  throw new Error('It was taken.')
}

describe('two rows with the same key', () => {
  test('count as one row when they are equal', () => {
    const memory = createRowMemory(transfers)
    expect(['7', '7'].map((key) => memory.isNew(key, row(5n)))).toEqual([true, false])
    memory.beginAnswer()
    expect(memory.isNew('7', row(5n))).toBe(false)
    expect([memory.size, memory.has('7'), memory.has('8')]).toEqual([1, true, false])
  })

  test('must not differ in any column within one answer', () => {
    const memory = createRowMemory(transfers)
    memory.isNew('7', row(5n))
    const error = refusal(() => memory.isNew('7', row(5n, 'Other')))
    expect(error).toMatchObject({ code: 'decode.contradiction', retryable: false })
    expect(error.details).toEqual({ table: 'rest_moves', key: 'network=fuji position=7', 'differs in': 'token_name' })
  })

  test('of two answers may differ in columns that services change, but not in lasting columns', () => {
    const memory = createRowMemory(transfers)
    memory.isNew('7', row(5n))
    memory.beginAnswer()
    expect(memory.isNew('7', row(5n, 'Renamed'))).toBe(false)
    memory.beginAnswer()
    expect(refusal(() => memory.isNew('7', row(6n))).details).toMatchObject({ 'differs in one of': 'amount' })
  })
})
