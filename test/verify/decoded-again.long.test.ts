import { beforeAll, expect, test } from 'vitest'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { filesOf, type Row, rewriteFile } from './rewrite-file.ts'
import { copyOf, legacyLake, soundLake } from './sound-lake.ts'

let legacy = ''
let sound = ''
beforeAll(async () => {
  legacy = await legacyLake({ blocks: 60 })
  sound = await soundLake({ blocks: 60 })
})

async function altered(lake: string, table: string, change: (row: Row) => Row) {
  const copy = copyOf(lake)
  const [file = ''] = await filesOf(copy, table)
  await rewriteFile(copy, file, (rows) => rows.map((row, at) => (at === 0 ? change(row) : row)))
  return (await verifyLake({ lake: { folder: copy } })).findings
}

test.each([
  ['x_assets', 'name', (row: Row) => ({ ...row, name: `${row['name']}x` })],
  ['x_outputs', 'threshold', (row: Row) => ({ ...row, threshold: 9n })],
  ['x_inputs', 'signature_indices', (row: Row) => ({ ...row, signature_indices: [7n] })],
  ['x_operations', 'operation_type', (row: Row) => ({ ...row, operation_type: 'other' })],
] as const)(
  'rows of the legacy index have no height, and verify decodes them again by transaction: %s.%s',
  async (table, column, change) => {
    expect(await altered(legacy, table, change)).toContainEqual(
      expect.objectContaining({ kind: 'rows.raw', table, columns: [column], otherTable: 'containers' }),
    )
  },
)

test('verify names the columns of a row that contradicts another row or its own hash', async () => {
  const later = (row: Row) => ({ ...row, block_time: row['block_time'] + 1n })
  expect(await altered(sound, 'c_senders', later)).toContainEqual(
    expect.objectContaining({
      kind: 'rows.value',
      table: 'c_senders',
      columns: ['block_time'],
      otherTable: 'c_blocks',
    }),
  )
  const limit = (row: Row) => ({ ...row, gas_limit: 5n })
  expect(await altered(sound, 'evm_transactions', limit)).toContainEqual(
    expect.objectContaining({ kind: 'rows.value', table: 'evm_transactions' }),
  )
})

test('verify has no findings for chains of every era', async () => {
  expect((await verifyLake({ lake: { folder: await soundLake({ blocks: 1000 }) } })).findings).toEqual([])
})
