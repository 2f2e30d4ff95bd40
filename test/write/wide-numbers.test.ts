import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restEvmBlocksList } from '../../pipelines/rest-evm-blocks.ts'
import { evmBlocks, evmTransactions } from '../../schemas/evm-blocks.ts'
import { restEvmBlocks } from '../../schemas/rest-tokens.ts'
import { readEvmBlock } from '../../src/decode/evm/blocks.ts'
import type { Table } from '../../src/define/index.ts'
import { createParquetThread, type ParquetThread } from '../../src/write/parquet-thread.ts'
import { recordedAnswers } from '../decode/evm/rpc-facts.ts'
import { hash } from '../decode/made-ids.ts'
import { testContext } from '../decode/service/reading.ts'
import { query } from './duckdb.ts'
import { lakeFolder } from './lake-folder.ts'
import { writeRows } from './write-rows.ts'

const lake = lakeFolder()
let thread: ParquetThread
beforeAll(() => {
  thread = createParquetThread()
})
afterAll(() => thread.close())

const fits = 10n ** 38n - 1n
const numbers = [0n, 7n, fits, fits + 1n, 2n ** 256n - 1n]
const hex = (value: bigint): string => `0x${value.toString(16)}`

/** The two columns of a wide number, as DuckDB reads them from the file. */
async function storedOf(table: Table, name: string, rows: readonly object[]): Promise<[bigint | null, string][]> {
  const file = lake.path(`${table.name}-${name}.parquet`)
  await writeRows(thread, file, table, rows)
  const found = await query(
    `SELECT ${name}::VARCHAR AS number, ${name}_raw AS raw FROM '${file}' ORDER BY length(raw), raw`,
  )
  return found.map(({ number, raw }) => [number === null ? null : BigInt(number), raw])
}

const expected = numbers.map((number) => [number > fits ? null : number, number.toString()])

const answers = () => structuredClone(recordedAnswers('granite').find(({ block }) => block.transactions.length > 0)!)
const read = (record: any) =>
  readEvmBlock({ number: Number(record.block.number), ...record }, { network: 'n', chainId: '1' })

describe('numbers of up to 256 bits are stored as exact text, and also as a decimal up to 38 digits', () => {
  test.each(['base_fee_per_gas', 'block_gas_cost', 'fees_spent'])('%s of blocks of the service', async (name) => {
    const field = { base_fee_per_gas: 'baseFee', block_gas_cost: 'gasCost', fees_spent: 'feesSpent' }[name]!
    const block = { blockTimestamp: 1700000000, blockHash: hash('b'), parentHash: hash('p'), txCount: 0 }
    const blocks = numbers.map((number, position) => ({
      ...block,
      blockNumber: String(position),
      [field]: number.toString(),
    }))
    const { rows } = restEvmBlocksList({ network: 'n', chain_id: '1' })({ blocks }, testContext())
    expect(await storedOf(restEvmBlocks, name, rows.blocks)).toEqual(expected)
  })

  test.each([
    ['base_fee_per_gas', 'baseFeePerGas'],
    ['difficulty', 'difficulty'],
    ['block_gas_cost', 'blockGasCost'],
    ['ext_data_gas_used', 'extDataGasUsed'],
  ])('%s of blocks by RPC', async (name, field) => {
    const rows = numbers.map((number) => {
      const record = answers()
      record.block[field] = hex(number)
      return read(record).blocks[0]!
    })
    expect(await storedOf(evmBlocks, name, rows)).toEqual(expected)
  })

  test.each([
    ['gas_price', 'gasPrice'],
    ['max_fee_per_gas', 'maxFeePerGas'],
    ['max_priority_fee_per_gas', 'maxPriorityFeePerGas'],
    ['max_fee_per_blob_gas', 'maxFeePerBlobGas'],
    ['effective_gas_price', 'effectiveGasPrice'],
    ['blob_gas_price', 'blobGasPrice'],
  ])('%s of transactions by RPC', async (name, field) => {
    const rows = numbers.map((number) => {
      const record = answers()
      record.block.transactions[0][field] = hex(number)
      record.receipts[0][field] = hex(number)
      return read(record).transactions[0]!
    })
    expect(await storedOf(evmTransactions, name, rows)).toEqual(expected)
  })

  test('a number of more than 256 bits is refused; the error names its path', () => {
    const record = answers()
    record.block.baseFeePerGas = hex(2n ** 256n)
    expect(() => read(record)).toThrow('baseFeePerGas is larger than any chain has it')
  })
})
