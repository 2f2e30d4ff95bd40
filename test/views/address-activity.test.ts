import { expect, test } from 'vitest'
import { cAtomicOutputs } from '../../schemas/c-chain.ts'
import { evmTokenTransfers } from '../../schemas/evm-blocks.ts'
import { evmCalls, evmTraces } from '../../schemas/evm-contracts.ts'
import { pOutputs, pValidations } from '../../schemas/p-chain.ts'
import type { Table } from '../../src/define/index.ts'
import { publish, rowsOf, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

const network = 'fuji'
const pChain = '11111111111111111111111111111111LpoYY'

async function lakeOf(tables: readonly (readonly [Table, readonly TestRow[]])[]): Promise<string> {
  const lakeDir = temporaryFolder()
  const path = (table: Table) => `data/${table.name}/rows.parquet`
  for (const [table, rows] of tables) await writeRows(lakeDir, table, path(table), rows)
  await publish(lakeDir, Object.fromEntries(tables.map(([table]) => [table.name, [path(table)]])))
  return lakeDir
}

const on = (height: number, time: string | null) => ({ network, height, block_time: time })
const later = '2024-01-02T00:00:00Z'
const time = '2024-01-01T00:00:00Z'

const lists: readonly (readonly [Table, readonly TestRow[]])[] = [
  [
    pOutputs,
    [
      { ...on(3, null), addresses: ['alice', 'bob'] },
      { ...on(5, time), addresses: ['alice'] },
      { ...on(7, later), addresses: ['bob'] },
    ],
  ],
  [
    pValidations,
    [
      { ...on(4, time), validation_reward_owner_addresses: ['alice'], delegation_reward_owner_addresses: ['alice'] },
      { ...on(6, later), delegation_reward_owner_addresses: ['bob', 'alice'] },
    ],
  ],
  [
    cAtomicOutputs,
    [
      { network, blockchain_id: 'C', block_number: 8, block_time: later, evm_address: '0xaa' },
      { network, blockchain_id: 'C', block_number: 9, block_time: later, addresses: ['alice'] },
    ],
  ],
]

test('a row counts once for each address in it, and the place has all heights and the known times', async () => {
  const lakeDir = await lakeOf(lists)
  const found = await rowsOf(
    lakeDir,
    `SELECT * REPLACE (first_time::VARCHAR AS first_time, last_time::VARCHAR AS last_time)
     FROM address_activity ORDER BY table_name, address`,
  )
  const row = (chain_id: string, table_name: string, address: string, places: readonly unknown[]) => {
    const [row_count, first_time, last_time, first_height, last_height] = places
    const text = (each: unknown) => String(each).replace('T', ' ').replace('Z', '+00')
    const times = { first_time: text(first_time), last_time: text(last_time) }
    return { network, chain_id, address, table_name, row_count, ...times, first_height, last_height }
  }
  expect(found).toEqual([
    row('C', 'c_atomic_outputs', '0xaa', [1, later, later, 8, 8]),
    row('C', 'c_atomic_outputs', 'alice', [1, later, later, 9, 9]),
    row(pChain, 'p_outputs', 'alice', [2, time, time, 3, 5]),
    row(pChain, 'p_outputs', 'bob', [2, later, later, 3, 7]),
    row(pChain, 'p_validations', 'alice', [2, time, later, 4, 6]),
    row(pChain, 'p_validations', 'bob', [1, later, later, 6, 6]),
  ])
})

test('columns with one address are read separately, and a filter by address reaches the files', async () => {
  const transfer = (at: number, parties: TestRow) => ({ network, chain_id: '1', block_number: at, ...parties })
  const lakeDir = await lakeOf([
    [
      evmTokenTransfers,
      [
        transfer(1, { token_address: '0xt', from_address: '0xa', to_address: '0xa', operator_address: '0xa' }),
        transfer(2, { token_address: '0xt', from_address: '0xa', to_address: '0xb' }),
        transfer(3, { token_address: '0xb', from_address: '0xt', to_address: '0xb', operator_address: '0xt' }),
      ],
    ],
  ])
  const found = await rowsOf(lakeDir, 'SELECT address, row_count FROM address_activity ORDER BY address')
  expect(found).toEqual([
    { address: '0xa', row_count: 2 },
    { address: '0xb', row_count: 2 },
    { address: '0xt', row_count: 3 },
  ])
  const [plan] = await rowsOf(lakeDir, "EXPLAIN SELECT * FROM address_activity WHERE address = '0xt'")
  for (const column of ['token_address', 'from_address'])
    expect(String(plan!['explain_value'])).toContain(`${column}='0xt'`)
})

test('the path to a call is no address', async () => {
  const call = { network, chain_id: '1', block_number: 1, from_address: '0xa', to_address: '0xb' }
  const traces = [
    { ...call, trace_index: 0, trace_address: '' },
    { ...call, trace_index: 1, trace_address: '0.1' },
  ]
  const lakeDir = await lakeOf([[evmTraces, traces]])
  expect(await rowsOf(lakeDir, 'SELECT address, row_count FROM address_activity ORDER BY address')).toEqual([
    { address: '0xa', row_count: 2 },
    { address: '0xb', row_count: 2 },
  ])
})

test('a called contract is an address', async () => {
  const lakeDir = await lakeOf([[evmCalls, [{ network, chain_id: '1', block_number: 1, contract: '0xc' }]]])
  expect(await rowsOf(lakeDir, 'SELECT address, table_name FROM address_activity')).toEqual([
    { address: '0xc', table_name: 'evm_calls' },
  ])
})
