import { expect, test } from 'vitest'
import { cAtomicInputs, cAtomicTransactions, cBlocks } from '../../schemas/c-chain.ts'
import { tables } from '../../schemas/index.ts'
import { chains } from '../../schemas/lake.ts'
import { builtInView, derivedViews } from '../../schemas/views/index.ts'
import { xBlocks, xCredentials, xOutputs, xTransactions } from '../../schemas/x-chain.ts'
import type { Table } from '../../src/define/index.ts'
import type { ReadRange } from '../../src/model.ts'
import { coverageQuery } from '../../src/views/lake-scripts.ts'
import { publishViews, rowsOf, snapshot, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

const coverage = builtInView('coverage')

const network = 'fuji'
const onX = { network, blockchain_id: 'idX' }
const onC = { network, blockchain_id: 'idC' }
const timeAt = (height: number) => `2024-01-01T00:00:${String(height).padStart(2, '0')}Z`

/** The X-Chain exports an output in each of its blocks 1 to 9 to the C-Chain. */
const exports = Array.from({ length: 9 }, (_, at) => ({
  ...onX,
  height: at + 1,
  tx_index: 0,
  tx_id: `export${at + 1}`,
  block_time: timeAt(at + 1),
}))

const cBlock = (height: number) => ({ ...onC, block_number: height, block_time: timeAt(height) })

/** A block of the C-Chain that imports one of these outputs. */
const importAt = (height: number, number: number) => ({
  transaction: {
    ...cBlock(height),
    tx_index: 0,
    tx_id: `import${number}`,
    tx_type: 'ImportTx',
    source_chain_id: 'idX',
  },
  input: {
    ...cBlock(height),
    tx_index: 0,
    tx_id: `import${number}`,
    input_index: 0,
    kind: 'import',
    source_tx_id: `export${number}`,
    source_output_index: 0,
    amount: 5,
  },
})

const range = (from: number, to: number): ReadRange => ({
  network,
  stream: `${network}/C/block`,
  table: 'c_atomic_inputs',
  unit: 'heights',
  slice: { from, to },
  rows: 0,
  committedMicros: null,
})

async function transfersOf(
  blocks: readonly number[],
  imports: readonly ReturnType<typeof importAt>[],
  ranges: readonly ReadRange[],
): Promise<Record<string, unknown>[]> {
  const lakeDir = temporaryFolder()
  const rows: readonly [Table, readonly TestRow[]][] = [
    [chains, ['X', 'C'].map((alias) => ({ network, blockchain_id: `id${alias}`, alias }))],
    [
      xBlocks,
      exports.map(({ network, blockchain_id, height, block_time }) => ({ network, blockchain_id, height, block_time })),
    ],
    [xTransactions, exports.map((row) => ({ ...row, destination_chain_id: 'idC' }))],
    [xOutputs, exports.map((row) => ({ ...row, output_index: 0, kind: 'export', amount: 5, addresses: ['a'] }))],
    [
      xCredentials,
      // The run recovered the signers of the first exports.
      exports.map((row, at) => ({
        ...row,
        credential_index: 0,
        signature_index: 0,
        address: at < 2 ? 'signer' : null,
      })),
    ],
    [cBlocks, blocks.map(cBlock)],
    [cAtomicTransactions, imports.map(({ transaction }) => transaction)],
    [cAtomicInputs, imports.map(({ input }) => input)],
  ]
  const filled = rows.filter(([, own]) => own.length > 0)
  for (const [table, own] of filled) await writeRows(lakeDir, table, `data/${table.name}/rows.parquet`, own)
  await publishViews({
    lakeDir,
    files: {
      snapshot: snapshot(1),
      tables: filled.map(([{ name }, { length }]) => ({
        name,
        files: [{ path: `data/${name}/rows.parquet`, rows: length }],
      })),
    },
    tables,
    derived: derivedViews,
    filledViews: ranges.length === 0 ? [] : [{ ...coverage, query: coverageQuery(ranges) }],
  })
  return rowsOf(
    lakeDir,
    'SELECT export_tx_id AS tx, transfer_status AS status, import_height, from_addresses FROM cross_chain_transfers ORDER BY tx',
  )
}

const statuses = (found: readonly Record<string, unknown>[]) => found.map(({ status }) => status)

test('an export is pending only up to the first gap in the blocks of the destination', async () => {
  const found = await transfersOf([1, 2, 3, 7, 8, 9], [importAt(2, 1)], [range(1, 4), range(7, 10)])
  expect(statuses(found)).toEqual(['imported', 'pending', 'pending', ...Array(6).fill('unknown')])
})

test('an export is unknown if the destination was not read from its start', async () => {
  expect(statuses(await transfersOf([7, 8, 9], [], [range(7, 10)]))).toEqual(Array(9).fill('unknown'))
  expect(statuses(await transfersOf([1, 2, 3], [], []))).toEqual(Array(9).fill('unknown'))
})

test('an import that a later block of the C-Chain repeats is one row with the first block', async () => {
  const found = await transfersOf([1, 2, 3, 4, 5, 6, 7, 8, 9], [importAt(8, 1), importAt(4, 1)], [range(1, 10)])
  expect(found.length).toBe(9)
  expect(found[0]).toMatchObject({ tx: 'export1', status: 'imported', import_height: 4 })
  expect(statuses(found.slice(1))).toEqual(Array(8).fill('pending'))
})

test('the senders of an export are null unless its signers were recovered', async () => {
  const found = await transfersOf([1], [], [])
  const lists = found.map(({ from_addresses }) => JSON.stringify(from_addresses))
  expect(lists).toEqual([...Array(2).fill('["signer"]'), ...Array(7).fill('null')])
})
