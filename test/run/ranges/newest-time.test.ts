import { expect, test } from 'vitest'
import { pBlocks } from '../../../schemas/p-chain.ts'
import type { Part } from '../../../src/model.ts'
import { newestTime } from '../../../src/run/ranges/read-slices.ts'

function part(table: string, fieldId: number, max: string | null): Part {
  const stats = [{ fieldId, columnBytes: 1, valueCount: 1, nullCount: 0, min: null, max }]
  return { table, path: 'x', rows: 1, bytes: 1, footerBytes: 1, sha256: '', partition: [], stats }
}

test('the latest block time of files comes from their statistics', () => {
  const id = pBlocks.ids!.columns['block_time']!
  const tables = { blocks: pBlocks }
  const of = (...times: (string | null)[]) =>
    newestTime(
      times.map((max) => part('p_blocks', id, max)),
      tables,
    )
  expect(of('2024-01-15 12:30:00+00', '2024-01-15 12:30:00.123456+00', null)).toBe('2024-01-15T12:30:00.123Z')
  expect(of(null)).toBe(null)
  expect(newestTime([part('p_blocks', id + 1, '2024-01-15 12:30:00+00')], tables)).toBe(null)
  expect(newestTime([part('other', id, '2024-01-15 12:30:00+00')], tables)).toBe(null)
})
