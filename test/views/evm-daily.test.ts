import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/package.ts'

const view = readFileSync(join(packageRoot(), 'schemas/views/evm_daily.sql'), 'utf8')

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect()
})
afterAll(() => connection.closeSync())
beforeEach(async () => {
  await connection.run('CREATE OR REPLACE TABLE evm_blocks (network TEXT, chain_id TEXT, block_date DATE)')
  await connection.run(
    `CREATE OR REPLACE TABLE evm_transactions (network TEXT, chain_id TEXT, block_date DATE, from_address TEXT, to_address TEXT,
       contract_address TEXT, status INTEGER, gas_used BIGINT, effective_gas_price DECIMAL(38,0), l1_fee DECIMAL(38,0), l1_fee_raw TEXT)`,
  )
})

const addBlock = (day: string) => connection.run(`INSERT INTO evm_blocks VALUES ('n', '1', ${day})`)
const addTransaction = (day: string, price: string, l1Fee?: string) =>
  connection.run(
    `INSERT INTO evm_transactions VALUES ('n', '1', ${day}, '0x1', '0x2', NULL, 1, 21000, ${price}, ${l1Fee ?? 'NULL'}, ${l1Fee ?? 'NULL'})`,
  )
const daily = async () => (await connection.runAndReadAll(`SELECT * FROM (${view}) ORDER BY day`)).getRowObjectsJson()

test('a price of 38 digits makes the fees of its day null, and no other', async () => {
  for (const day of ["DATE '2025-01-01'", "DATE '2025-01-02'"]) await addBlock(day)
  await addTransaction("DATE '2025-01-01'", '9'.repeat(38))
  await addTransaction("DATE '2025-01-01'", '1')
  await addTransaction("DATE '2025-01-02'", '25000000000')
  expect(await daily()).toMatchObject([
    { day: '2025-01-01', transaction_count: '2', fees: null, fees_in_tokens: null },
    { day: '2025-01-02', transaction_count: '1', fees: '525000000000000', fees_in_tokens: '0.000525000000000000' },
  ])
})

test('fees include those for the L1, where a receipt states one', async () => {
  await addBlock("DATE '2025-01-01'")
  await addTransaction("DATE '2025-01-01'", '2', '1000')
  await addTransaction("DATE '2025-01-01'", '1')
  expect(await daily()).toMatchObject([{ fees: '64000' }])
})

test('a day without transactions has fees of 0, a day without blocks is not shown, and blocks without a time are one row', async () => {
  await addBlock("DATE '2025-01-01'")
  await addBlock('NULL')
  await addTransaction('NULL', '1')
  await addTransaction("DATE '2025-01-02'", '1')
  expect(await daily()).toMatchObject([
    { day: '2025-01-01', block_count: '1', transaction_count: '0', sender_count: '0', gas_used: '0', fees: '0' },
    { day: null, block_count: '1', transaction_count: '1', sender_count: '1', receiver_count: '1', fees: '21000' },
  ])
})
