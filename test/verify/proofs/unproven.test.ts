import { expect, test } from 'vitest'
import type { LakeRows } from '../../../src/verify/lake.ts'
import { unverifiableOf } from '../../../src/verify/proofs.ts'

/** Rows of one stream that covers some tables, without raw containers. */
function rowsOf(stream: string, names: readonly string[]): LakeRows {
  const coverage = names.map((table) => ({ stream, table, slice: { from: 0, to: 10 } }))
  return {
    inventory: { coverage, withLosses: new Set(), tables: [], declared: [] },
    looksAt: () => true,
    filesOf: ({ name }: { name: string }) => (names.includes(name) ? [{}] : []),
  } as unknown as LakeRows
}

test('without raw containers, the hash of a block proves the columns of the header in the table of blocks alone', () => {
  const listed = unverifiableOf(rowsOf('local/C/block', ['c_blocks', 'c_atomic_inputs', 'c_transactions']))
  const partly = new Map(listed.map(({ table, partly }) => [table, partly]))
  expect(partly.get('c_blocks')).not.toContain('nonce')
  expect(partly.get('c_transactions')).not.toContain('nonce')
  expect(partly.get('c_atomic_inputs')).toContain('nonce')
  const validations = unverifiableOf(rowsOf('local/P/block', ['p_validations']))
  expect(validations.find(({ table }) => table === 'p_validations')?.partly).toContain('nonce')
})
