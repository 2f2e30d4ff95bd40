import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { evmLogs } from '../../../schemas/evm-blocks.ts'
import { evmBalances } from '../../../schemas/evm-state.ts'
import { pStateOutputs, pTransactions } from '../../../schemas/p-chain.ts'
import { builtInView } from '../../../schemas/views/index.ts'
import { showAnswer } from '../../../src/cli/commands/sql-prompt.ts'
import { derivedView } from '../../../src/define/index.ts'
import type { ReadRange } from '../../../src/model.ts'
import { coverageQuery } from '../../../src/views/lake-scripts.ts'
import { type LakeReader, openLake } from '../../../src/views/query.ts'
import { publishViews, snapshot, writeRows } from '../../views/test-lake.ts'

const coverage = builtInView('coverage')

const owners = derivedView({
  name: 'owners',
  comment: 'For tests.',
  dependsOn: ['p_state_outputs'],
  columns: { output_id: { type: 'VARCHAR', comment: 'Id.' } },
  query: 'SELECT utxo_id AS output_id FROM p_state_outputs',
})

const read: ReadRange = {
  network: 'mainnet',
  stream: 'mainnet/evm',
  table: 'evm_logs',
  unit: 'blocks',
  slice: { from: 0, to: 9 },
  rows: 1,
  committedMicros: 1,
}

const address = '0x00000000000000000000000000000000000000ab'
const checksum = `'0x00000000000000000000000000000000000000Ab'`

let lake: LakeReader
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-notes-'))
  await writeRows(folder, evmLogs, 'data/logs.parquet', [{ address, log_index: 1, data: '\\xA9\\x05' }])
  await writeRows(folder, pTransactions, 'data/p.parquet', [{ tx_id: address, manager_address: '\\x00\\xAB' }])
  const tables = { evm_logs: 'data/logs.parquet', p_transactions: 'data/p.parquet' }
  await publishViews({
    lakeDir: folder,
    files: {
      snapshot: snapshot(1),
      tables: Object.entries(tables).map(([name, path]) => ({ name, files: [{ path, rows: 1 }] })),
    },
    tables: [evmLogs, evmBalances, pStateOutputs, pTransactions],
    derived: [coverage, owners],
    filledViews: [
      {
        ...coverage,
        query: coverageQuery([read, { ...read, table: 'p_transactions' }, { ...read, table: 'evm_balances' }]),
      },
    ],
  })
  lake = await openLake(folder)
  return () => {
    lake.close()
    rmSync(folder, { recursive: true })
  }
})
afterEach(() => vi.restoreAllMocks())

/** What a query prints to stdout and to stderr. */
async function printed(sql: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((part: any, ...rest: any[]) => {
      said[name] += part
      rest.find((each) => typeof each === 'function')?.(null)
      return true
    })
  await showAnswer(lake, sql, 'csv')
  vi.restoreAllMocks()
  return said
}

test.each([
  ["SELECT count(*) AS n FROM evm_logs WHERE data[1:2] = '0xa905'", "from_hex('a905')"],
  ["SELECT count(*) AS n FROM evm_logs WHERE data IN ('0xA905')", "from_hex('A905')"],
  ["SELECT count(*) FILTER (WHERE data = '0xa905') AS n FROM evm_logs", "from_hex('a905')"],
  ["SELECT count(*) AS n FROM evm_logs WHERE address = from_hex('00')", 'from_hex(substr(text, 3))'],
  ['SELECT count(*) AS n FROM evm_logs a JOIN evm_logs b ON a.data = b.address', 'from_hex(substr(text, 3))'],
])('%s compares bytes with text', async (sql, write) => {
  const { stdout, stderr } = await printed(sql)
  expect(stdout).toBe('n\n0\n')
  expect(stderr).toMatch(/^note: The query compares bytes \(BLOB\) with text, which is never equal.*\n$/)
  expect(stderr).toContain(write)
})

test.each([
  ["SELECT count(*) AS n FROM evm_logs WHERE data = from_hex('a905')", '1'],
  ["SELECT tx_id FROM p_transactions WHERE manager_address = '0x00ab'", address],
  [`SELECT count(*) AS n FROM evm_logs WHERE address = addr(${checksum})`, '1'],
  [`SELECT count(*) AS n FROM evm_logs WHERE address <> ${checksum}`, '1'],
  ["SELECT 'evm_state, p_state_outputs' AS n", '"evm_state, p_state_outputs"'],
  ['WITH p_state_outputs AS (SELECT 1 AS n) FROM p_state_outputs', '1'],
  // A run has read it, and there was nothing.
  ['SELECT count(*) AS n FROM evm_balances', '0'],
  ['SELECT count(*) > 1 AS n FROM coverage', 'true'],
])('%s needs no note', async (sql, answer) => {
  const { stdout, stderr } = await printed(sql)
  expect(stdout.split('\n')[1]).toBe(answer)
  expect(stderr).toBe('')
})

test.each([
  [`FROM evm_logs WHERE address = ${checksum}`, checksum],
  [`SELECT count(*), max(data) FROM evm_logs WHERE address IN (${checksum})`, checksum],
  [
    "SELECT count(*) FROM p_transactions WHERE tx_id = 'P-fuji1yq9gnejuxy44znluq6ygk2w7k8wrr3cpcjcs6l'",
    "'P-fuji1yq9gnejuxy44znluq6ygk2w7k8wrr3cpcjcs6l'",
  ],
])('%s finds nothing because of the form of an address', async (sql, text) => {
  const { stderr } = await printed(sql)
  expect(stderr).toBe(`note: Tables have no address ${text} in this form. Write addr(${text}).\n`)
})

test('a query says which job fills a table that no run has filled, also through a view', async () => {
  for (const name of ['p_state_outputs', 'owners', 'main.p_state_outputs'])
    expect((await printed(`SELECT count(*) FROM ${name}; SELECT 1`)).stderr).toMatch(
      /^note: No run has filled p_state_outputs \(run .*\butxo-set\b.*\): that no rows are there says nothing about the chain\.\n$/,
    )
})

test.each([
  [checksum, address],
  ["'C-0xAB'", '0xab'],
  ["'X-fuji1yq9gnejuxy44znluq6ygk2w7k8wrr3cpcjcs6l'", 'fuji1yq9gnejuxy44znluq6ygk2w7k8wrr3cpcjcs6l'],
  ["'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'", 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'],
  ["'2JeJDKL9Bvn1vLuuPL1DpUccBCVUh7iRnkv3a5pV9kJW5HbuQz'", '2JeJDKL9Bvn1vLuuPL1DpUccBCVUh7iRnkv3a5pV9kJW5HbuQz'],
  ['NULL', ''],
])('addr(%s) is the text that tables have', async (text, stored) => {
  expect((await printed(`SELECT addr(${text}) AS a`)).stdout).toBe(`a\n${stored}\n`)
})
