/**
 * Measures the views for analysts. DuckDB makes the files of the lake: `node dist/bench/views.js 5000000` gives the C-Chain and the P-Chain
 * that many blocks each. A day has 43,200 blocks of each, and a file for each table.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { tables } from '../schemas/index.ts'
import { derivedViews } from '../schemas/views/index.ts'
import { type Columns, duckdbType, type Field, fieldsOf, type Table } from '../src/define/index.ts'
import { sqlName, sqlText } from '../src/lib/text.ts'
import { openFolderStore } from '../src/store/folder-store.ts'
import { buildViews } from '../src/views/publish.ts'
import { queryLake } from '../src/views/query.ts'
import { runForText } from './measured-process.ts'

const blocksOfDay = 43_200
const avax = 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z'

/** SQL of some columns of a table for the row n; the other columns are null. */
type Made = { readonly perBlock: number; readonly columns: Readonly<Record<string, string>> }

const account = (seed: string, accounts: number) => `unhex(md5((hash(${seed}) % ${accounts})::VARCHAR) || '00000000')`
const owner = (seed: string) => `['avax1' || md5((hash(${seed}) % 500000)::VARCHAR) || '000000']`
const timeOf = (block: string) => `TIMESTAMPTZ '2025-08-01 00:00:00Z' + to_seconds(2 * (${block}))`
const id = (letter: string, n: string) => `'${letter}' || md5((${n})::VARCHAR) || '00000000000000000'`

const evmRow = (perBlock: number) => ({
  network: "'mainnet'",
  chain_id: "'43114'",
  block_number: `n // ${perBlock}`,
  block_time: timeOf(`n // ${perBlock}`),
})
const pRow = (perBlock: number) => ({
  network: "'mainnet'",
  height: `n // ${perBlock}`,
  block_time: timeOf(`n // ${perBlock}`),
  tx_index: '0',
  tx_id: id('t', `n // ${perBlock}`),
})

/** One of 20 P-Chain transactions stakes, for 14 days; a validator has about 24 delegations. One of 5,000 creates an L1 by three transactions. */
const made: Readonly<Record<string, Made>> = {
  evm_blocks: {
    perBlock: 1,
    columns: { ...evmRow(1), ext_data_hash: "'0x00'", gas_used: '63000', transaction_count: '3' },
  },
  evm_transactions: {
    perBlock: 3,
    columns: {
      ...evmRow(3),
      transaction_index: 'n % 3',
      from_address: account('n', 200_000),
      to_address: account('n + 1', 500_000),
      status: '(n % 100 <> 0)::BIGINT',
      gas_used: '21000 + n % 100000',
      effective_gas_price: '25000000000 + n',
    },
  },
  evm_token_transfers: {
    perBlock: 1,
    columns: {
      ...evmRow(1),
      transaction_index: '0',
      log_index: '0',
      position: '0',
      standard: "'erc20'",
      token_address: account('n % 211', 1_000_000),
      from_address: account('n', 200_000),
      to_address: account('n + 1', 500_000),
      amount: '(n * 1000003)::HUGEINT * 1000000000',
    },
  },
  p_blocks: {
    perBlock: 1,
    columns: {
      network: "'mainnet'",
      height: 'n',
      block_time: timeOf('n'),
      block_id: id('b', 'n'),
      parent_id: id('b', 'n - 1'),
      block_type: "'BanffStandardBlock'",
      tx_count: '1',
    },
  },
  p_transactions: {
    perBlock: 1,
    columns: {
      ...pRow(1),
      tx_type: `CASE n % 5000 WHEN 1 THEN 'CreateSubnetTx' WHEN 2 THEN 'CreateChainTx' WHEN 3 THEN 'ConvertSubnetToL1Tx'
        ELSE CASE n % 20 WHEN 0 THEN 'AddPermissionlessDelegatorTx' ELSE 'BaseTx' END END`,
      subnet_id: `CASE WHEN n % 5000 IN (1, 2, 3) THEN ${id('t', 'n - n % 5000 + 1')} END`,
      blockchain_name: `CASE n % 5000 WHEN 2 THEN 'chain ' || n END`,
      burned: '1000000',
      input_count: '1',
      output_count: '2',
    },
  },
  p_inputs: {
    perBlock: 1,
    columns: {
      ...pRow(1),
      input_index: '0',
      kind: "'transfer'",
      source_tx_id: id('t', 'n - 1 - hash(n) % 1000'),
      source_output_index: '0',
      asset_id: `'${avax}'`,
      amount: 'n * 1000',
    },
  },
  p_outputs: {
    perBlock: 2,
    columns: {
      ...pRow(2),
      output_index: 'n % 2',
      kind: "'transfer'",
      asset_id: `'${avax}'`,
      amount: 'hash(n) % 1000000000000000',
      addresses: owner('n'),
    },
  },
  p_validations: {
    perBlock: 1,
    columns: {
      ...pRow(1),
      position: '0',
      tx_type: `CASE n % 5000 WHEN 3 THEN 'ConvertSubnetToL1Tx' ELSE 'AddPermissionlessDelegatorTx' END`,
      action: `CASE WHEN n % 5000 = 3 OR n % 500 = 0 THEN 'add' ELSE 'delegate' END`,
      subnet_id: `CASE n % 5000 WHEN 3 THEN ${id('t', 'n - 2')} ELSE '11111111111111111111111111111111LpoYY' END`,
      node_id: `'NodeID-' || (n // 20) % 20000`,
      validation_id: `CASE n % 5000 WHEN 3 THEN ${id('v', 'n')} END`,
      start_time: timeOf('n'),
      end_time: `CASE WHEN n % 5000 <> 3 THEN ${timeOf('n')} + INTERVAL 14 DAYS END`,
      weight: '25000000000 + n',
      balance: 'CASE n % 5000 WHEN 3 THEN 1000000000 END',
      validation_reward_owner_addresses: owner('n'),
    },
  },
}
const onlyOf: Readonly<Record<string, string>> = { p_validations: 'n % 20 = 0 OR n % 5000 = 3' }

/** Tables that do not grow with the chain. */
const fixed: Readonly<Record<string, { readonly rows: number; readonly columns: Readonly<Record<string, string>> }>> = {
  chains: {
    rows: 1,
    columns: {
      network: "'mainnet'",
      blockchain_id: "'11111111111111111111111111111111LpoYY'",
      alias: "'P'",
      native_asset_id: `'${avax}'`,
    },
  },
  evm_tokens: {
    rows: 211 * 100,
    columns: { ...evmRow(211), token_address: account('n % 211', 1_000_000), symbol: "'T' || n % 211", decimals: '18' },
  },
}

/** What is asked, about the whole lake and about few days of it. */
function questionsOf(blocks: number): readonly (readonly [name: string, sql: string])[] {
  const last = `((${timeOf(String(blocks - 1))}) AT TIME ZONE 'UTC')::DATE`
  const all = (select: string) => `SELECT count(*) FROM (${select})`
  return [
    ['chain_daily, all days', all('SELECT * FROM chain_daily')],
    ['chain_daily, last 7 days', all(`SELECT * FROM chain_daily WHERE day > ${last} - 7`)],
    ['chain_daily, the example', all('SELECT * FROM chain_daily WHERE day > (SELECT max(day) FROM chain_daily) - 7')],
    [
      'p_payments, the 5 largest',
      'SELECT from_addresses, to_addresses, paid_avax FROM p_payments WHERE paid IS NOT NULL ORDER BY paid DESC LIMIT 5',
    ],
    [
      'p_payments, amount > 900,000 AVAX',
      all('SELECT * FROM p_payments WHERE amount > 900000000000000 AND paid IS NOT NULL'),
    ],
    ['p_payments, last day', all(`SELECT * FROM p_payments WHERE block_time >= ${last}`)],
    ['l1s', all('SELECT * FROM l1s')],
    ['validators_now', all('SELECT * FROM validators_now')],
    ['delegators_now', all('SELECT * FROM delegators_now')],
    ['evm_token_amounts, all by token', 'SELECT symbol, sum(amount_in_tokens) FROM evm_token_amounts GROUP BY ALL'],
    ['evm_token_amounts, last day', all(`SELECT * FROM evm_token_amounts WHERE block_time >= ${last}`)],
  ]
}

function fieldId(field: Field): string {
  if (field.children.length === 0) return `${sqlName(field.name)}: ${field.id}`
  return `${sqlName(field.name)}: {__duckdb_field_id: ${field.id}, ${field.children.map(fieldId).join(', ')}}`
}

async function makeLake(lakeDir: string, blocks: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  const write = async (table: Table, columns: Made['columns'], path: string, range: string): Promise<void> => {
    const selected = Object.entries(table.columns as Columns).map(
      ([name, { type }]) => `CAST(${columns[name] ?? 'NULL'} AS ${duckdbType(type)}) AS ${sqlName(name)}`,
    )
    mkdirSync(dirname(join(lakeDir, path)), { recursive: true })
    const options = `FORMAT parquet, COMPRESSION zstd, FIELD_IDS {${fieldsOf(table).map(fieldId).join(', ')}}`
    await connection.run(`COPY (SELECT ${selected} FROM ${range}) TO ${sqlText(join(lakeDir, path))} (${options})`)
  }
  const listed: { name: string; files: { path: string; rows: number }[] }[] = []
  const tableOf = (name: string): Table => tables.find((each) => each.name === name)!
  for (const [name, { perBlock, columns }] of Object.entries(made)) {
    const own: { path: string; rows: number }[] = []
    for (let from = 0; from < blocks; from += blocksOfDay) {
      const to = Math.min(blocks, from + blocksOfDay)
      const path = `data/${name}/${from}.parquet`
      const range = `range(${from * perBlock}, ${to * perBlock}) AS rows(n) WHERE ${onlyOf[name] ?? 'true'}`
      await write(tableOf(name), columns, path, range)
      own.push({ path, rows: (to - from) * perBlock })
    }
    listed.push({ name, files: own })
  }
  for (const [name, { rows, columns }] of Object.entries(fixed)) {
    const path = `data/${name}/0.parquet`
    await write(tableOf(name), columns, path, `range(${rows}) AS rows(n)`)
    listed.push({ name, files: [{ path, rows }] })
  }
  connection.closeSync()
  instance.closeSync()
  const snapshot = { lakeId: '5f2b3c1e-0000-4000-8000-000000000000', snapshotId: 1, runId: 'bench' }
  const built = await buildViews({
    lakeDir,
    store: openFolderStore(lakeDir),
    files: { snapshot, tables: listed },
    tables,
    derived: derivedViews,
    catalogCopy: 'none',
    owner: 'bench',
  })
  await built.replace()
}

const [first = '5000000', lake, sql] = process.argv.slice(2)
if (lake !== undefined && sql !== undefined) {
  for await (const rows of (await queryLake(lake, sql)).chunks) console.log(JSON.stringify(rows.slice(0, 2)))
} else {
  const blocks = Number(first)
  const folder = lake ?? mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  try {
    if (lake === undefined || !existsSync(lake)) await makeLake(folder, blocks)
    for (const [name, sql] of questionsOf(blocks)) {
      const began = performance.now()
      const measured = runForText(fileURLToPath(import.meta.url), [first, folder, sql]).then(
        ({ cpuSeconds, peakMiB }) => `${cpuSeconds.toFixed(1)} CPU s, ${peakMiB.toFixed(0)} MiB`,
        (error: Error) => /(?<=ConfigError: ).*/.exec(error.message)?.[0] ?? error.message,
      )
      console.log(name.padEnd(36), await measured, `in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    }
  } finally {
    if (lake === undefined) rmSync(folder, { recursive: true, force: true })
  }
}
