import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { evmBlocks, evmLogs, evmTokenTransfers, evmTransactions } from '../../schemas/evm-blocks.ts'
import { readEvmBlock } from '../../src/decode/evm/blocks.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { createEvmBlocks } from '../../src/sources/evm-blocks.ts'
import { type Answers, logFacts, transactionFacts, transferFacts } from '../decode/evm/rpc-facts.ts'
import { expectRows, expectTable } from '../decode/expect-rows.ts'
import { expectFits } from '../decode/service/expect-fits.ts'
import { dataPath } from '../external-data.ts'
import { quick } from '../fetch/local-server.ts'
import { type EvmNode, startEvmNode } from './evm-node.ts'

/** Every 100th block of an L1, as its node returned them. DuckDB reads zstd on every version of Node. */
async function realBlocks(): Promise<Answers[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const file = dataPath('real/evm-l1-blocks/blocks.jsonl.zst')
  const answer = await connection.runAndReadAll(
    `SELECT json->'block', json->'receipts' FROM read_ndjson_objects('${file}', compression = 'zstd')`,
  )
  const rows = answer.getRowsJson().map(([block, receipts]) => ({
    block: JSON.parse(String(block)),
    receipts: JSON.parse(String(receipts)),
  }))
  connection.closeSync()
  instance.closeSync()
  return rows.sort((a, b) => Number(a.block.number) - Number(b.block.number))
}

const [first, end, step] = [14_000_000, 14_100_001, 100]
let answers: Answers[]
let node: EvmNode

beforeAll(async () => {
  answers = await realBlocks()
  node = await startEvmNode(answers)
})
afterAll(() => node.close())

test('the rows of 1,001 real blocks have the same counts, sums and fields as their raw JSON', async () => {
  const transport = createTransport({ baseUrl: node.url, ...quick })
  const source = createEvmBlocks(transport, '/rpc', { step })
  expect(await source.head()).toBe(end - 1)
  const blocks = await source.window(first - 50, end)
  await transport.close()
  expect(blocks.map(source.at)).toEqual(Array.from({ length: 1_001 }, (_, at) => first + at * step))
  const unknown = new Set<string>()
  const rows = blocks.map((block) =>
    readEvmBlock(block, { network: 'evm-43419', chainId: '43419', unknownField: (path) => unknown.add(path) }),
  )
  const of = {
    blocks: rows.flatMap((each) => each.blocks),
    transactions: rows.flatMap((each) => each.transactions),
    logs: rows.flatMap((each) => each.logs),
    transfers: rows.flatMap((each) => each.tokenTransfers),
  }
  const sent = answers.flatMap(({ block }) => block.transactions)
  const receipts = answers.flatMap((each) => each.receipts)
  expect([of.blocks.length, of.transactions.length, of.logs.length]).toEqual([1_001, 9_887, 20_684])
  const hexSum = (values: readonly any[]) => values.reduce((sum, value) => sum + BigInt(value), 0n)
  expect(hexSum(of.blocks.map(({ gas_used }) => gas_used))).toBe(hexSum(answers.map(({ block }) => block.gasUsed)))
  expect(hexSum(of.blocks.map(({ gas_used }) => gas_used))).toBe(hexSum(of.transactions.map((each) => each.gas_used)))
  expect(hexSum(of.transactions.map(({ value }) => value))).toBe(hexSum(sent.map(({ value }) => value)))
  expect(hexSum(of.transactions.map(({ gas_used }) => gas_used))).toBe(hexSum(receipts.map((each) => each.gasUsed)))
  expectRows(of.transactions, answers.flatMap(transactionFacts))
  expectRows(of.logs, answers.flatMap(logFacts))
  expectRows(of.transfers, answers.flatMap(transferFacts))
  expect(of.transfers.length).toBeGreaterThan(1_000)
  expectTable('evm_blocks', of.blocks)
  expectTable('evm_transactions', of.transactions)
  expectTable('evm_logs', of.logs)
  expectTable('evm_token_transfers', of.transfers)
  expectFits(evmBlocks, of.blocks.slice(0, 1_000))
  expectFits(evmTransactions, of.transactions.slice(0, 1_000))
  expectFits(evmLogs, of.logs.slice(0, 1_000))
  expectFits(evmTokenTransfers, of.transfers.slice(0, 1_000))
  expect([...unknown]).toEqual([])
})
