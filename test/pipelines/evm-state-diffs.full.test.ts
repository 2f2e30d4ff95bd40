import { afterEach, describe, expect, test } from 'vitest'
import { startDevnet, transientFaults } from '../../devnet/serve.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmStateDiffsPipeline } from '../../pipelines/evm-state-diffs.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { OtherSourceError } from '../../src/errors.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { type DiffedAnswers, diffedAnswers, diffFacts, emptied } from '../decode/evm/diff-facts.ts'
import { command, newLake, query, rowSets, strayFiles } from '../run/lake-run.ts'
import { startDiffNode } from '../sources/diff-node.ts'
import type { EvmNodeOptions } from '../sources/evm-node.ts'
import { filesOf, type Row, rewriteFile } from '../verify/rewrite-file.ts'
import { copyOf } from '../verify/sound-lake.ts'
import { type ChainRun, countRows, runOnChain } from './run-on-chain.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const recorded = diffedAnswers()

async function serve(chain: readonly DiffedAnswers[] = recorded, options: EvmNodeOptions = {}) {
  const node = await startDiffNode(chain, options)
  cleanups.push(node.close)
  return node
}

type Run = Omit<ChainRun, 'pipeline'> & { readonly pipeline?: Pipeline }

const run = ({ pipeline = evmStateDiffsPipeline, ...rest }: Run) => runOnChain({ ...rest, pipeline })

const tables = ['evm_balance_changes', 'evm_nonce_changes', 'evm_code_changes', 'evm_storage_changes'] as const

describe('the recorded chain', () => {
  test('gives what its transactions changed', async () => {
    const { url } = await serve()
    const lake = newLake()
    await run({ lake, url, values: { chain: url } })
    const facts = recorded.map(diffFacts)
    for (const [at, name] of (['balances', 'nonces', 'codes', 'storage'] as const).entries())
      expect(await countRows(lake, tables[at]!), name).toBe(facts.flatMap((each) => each[name]).length)
    const own = (table: string) =>
      query(lake, `SELECT block_number::INT AS n FROM ${table} WHERE address = '${emptied}' ORDER BY n`)
    expect([await own('evm_nonce_changes'), await own('evm_code_changes')]).toEqual([[{ n: 20 }], [{ n: 20 }]])
    const [largest] = await query(
      lake,
      'SELECT max(balance_after_raw::DECIMAL(38,0)) = max(balance_after) AS same FROM evm_balance_changes',
    )
    expect(largest).toEqual({ same: true })
  })
})

describe('a run of evm-state-diffs', () => {
  test('resumes after any stop and stores the same rows, without duplicates', async () => {
    const { url } = await serve()
    const [whole, parts] = [newLake(), newLake()]
    await run({ lake: whole, url, values: { chain: url } })
    await run({ lake: parts, url, values: { chain: url, from: 100, to: 120 } })
    await run({ lake: parts, url, values: { chain: url, to: 110, unit: 16 } })
    await run({ lake: parts, url, values: { chain: url } })
    expect(await rowSets(parts)).toEqual(await rowSets(whole))
    expect(await strayFiles(parts)).toEqual([])
  })

  test('stores nothing of a unit in which the tracer failed, or a diff is no diff', async () => {
    const why = 'ReferenceError: prestateTracer is not defined at <eval>:1:2(0)'
    const cases: [{ error: string } | { result: object }, RegExp][] = [
      [{ error: why }, /^Block 40: debug_trace(Transaction|BlockByNumber) failed: ReferenceError: prestateTracer/],
      [{ result: { pre: {} } }, /EVM block 40 of chain 43112: diffs\[0\].post is no object of accounts/],
    ]
    const hashes = recorded[40]!.diffs.map(({ txHash }) => txHash)
    for (const [each, message] of cases) {
      const { url } = await serve(recorded, {
        interfere: ({ method, params }) => {
          if (method === 'debug_traceTransaction' && hashes.includes(params[0]) && 'error' in each)
            return { error: { code: -32000, message: each.error } }
          return method === 'debug_traceBlockByNumber' && Number(params[0]) === 40
            ? { result: hashes.map((txHash) => ({ txHash, ...each })) }
            : undefined
        },
      })
      const lake = newLake()
      await expect(run({ lake, url, values: { chain: url, unit: 20 } })).rejects.toMatchObject({
        message: expect.stringMatching(message),
      })
      expect(await countRows(lake, 'evm_balance_changes WHERE block_number >= 40')).toBe(0)
      expect(await countRows(lake, 'evm_balance_changes')).toBeGreaterThan(0)
    }
  })

  test('refuses another chain with the same id', async () => {
    const { url } = await serve()
    const lake = newLake()
    await run({ lake, url, values: { chain: url } })
    const before = await rowSets(lake)
    const forked = recorded.map((each, number) => ({
      ...each,
      block: { ...each.block, hash: `0x${'7'.repeat(60)}${String(number).padStart(4, '0')}` },
    }))
    const other = await serve(forked)
    await expect(run({ lake, url: other.url, values: { chain: other.url } })).rejects.toThrow(OtherSourceError)
    expect(await rowSets(lake)).toEqual(before)
  })
})

describe('the simulated network', () => {
  const values = { unit: 60, finality: 0, reads: true }

  test('gives the same rows to runs that are killed, and to runs with faults', async () => {
    const node = await startDevnet({ seed: 7, blocks: 200 })
    cleanups.push(node.close)
    const [quiet, killed, faulty, later] = [newLake(), newLake(), newLake(), newLake()]
    await run({ lake: quiet, url: node.url, values })
    const rows = await rowSets(quiet)
    for (const table of [...tables, 'evm_state_reads']) expect(await countRows(quiet, table), table).toBeGreaterThan(10)
    const args = [
      'run',
      'evm-state-diffs',
      '--reads',
      '--node-url',
      node.url,
      '--lake',
      killed,
      '--unit',
      '60',
      '--finality',
      '0',
    ]
    for (const point of ['fetch.after#8', 'write.before-fsync#2', 'commit.after-coverage', 'publish.before']) {
      const { signal, stderr } = await command(args, { CHAINLAKE_DIE_AT: point })
      expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
    }
    await run({ lake: killed, url: node.url, values })
    expect(await rowSets(killed)).toEqual(rows)
    expect(await strayFiles(killed)).toEqual([])
    node.setFaults({ every: 5, kinds: transientFaults, seed: 3 })
    await run({ lake: faulty, url: node.url, values })
    node.setFaults(null)
    expect(await rowSets(faulty)).toEqual(rows)
    await run({ lake: later, url: node.url, values: { ...values, reads: false } })
    expect(await countRows(later, 'evm_state_reads')).toBe(0)
    await run({ lake: later, url: node.url, values })
    expect(await rowSets(later)).toEqual(rows)
  })
})

describe('verify', () => {
  const altered =
    (column: string, value: (row: Row) => unknown, isMeant: (row: Row) => boolean = () => true) =>
    (rows: Row[]) =>
      rows.map((row, at) => (at === rows.findIndex(isMeant) ? { ...row, [column]: value(row) } : row))
  const word = (digit: string) => `0x${digit.repeat(64)}`
  const cases: [table: string, column: string, change: (rows: Row[]) => Row[]][] = [
    [
      'evm_nonce_changes',
      'nonce_before',
      altered(
        'nonce_before',
        () => 900n,
        ({ nonce_before: nonce }) => Number(nonce) > 1,
      ),
    ],
    [
      'evm_nonce_changes',
      'nonce_after',
      altered(
        'nonce_after',
        ({ nonce_before: nonce }) => nonce,
        ({ nonce_before: nonce }) => Number(nonce) > 1,
      ),
    ],
    ['evm_code_changes', 'code_hash_after', altered('code_hash_after', () => word('a'))],
    ['evm_code_changes', 'code_hash_before', altered('code_hash_before', () => word('a'))],
    ['evm_balance_changes', 'balance_before', altered('balance_before', () => 5n)],
    ['evm_balance_changes', 'transaction_hash', altered('transaction_hash', () => word('a'))],
    [
      'evm_state_reads',
      'slot_value',
      altered(
        'slot_value',
        () => null,
        ({ slot }) => slot !== null,
      ),
    ],
    ['evm_state_reads', 'transaction_hash', altered('transaction_hash', () => word('a'))],
    ['evm_storage_changes', 'slot_value_before', altered('slot_value_before', () => word('a'))],
    ['evm_balance_changes', 'balance_before_raw', altered('balance_before_raw', () => '7')],
    ['evm_nonce_changes', 'block_time', altered('block_time', ({ block_time: time }) => time + 1_000_000n)],
  ]

  test('finds changes that contradict each other, their transactions, or what these read', async () => {
    const node = await startDevnet({ seed: 7, blocks: 120 })
    cleanups.push(node.close)
    const lake = newLake()
    await run({ lake, url: node.url, pipeline: evmBlocksPipeline, values: { finality: 0 } })
    await run({ lake, url: node.url, values: { finality: 0, reads: true } })
    expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
    for (const [table, column, change] of cases) {
      const copy = copyOf(lake)
      const [file] = await filesOf(copy, table)
      await rewriteFile(copy, file!, change)
      const { findings } = await verifyLake({ lake: { folder: copy } })
      const found = findings.filter((each) => each.table === table).flatMap(({ columns }) => columns)
      expect(found, `${table}.${column}`).toContain(column)
      expect(findings[0], column).toMatchObject({ stream: expect.stringMatching(/evm-state-diffs\/43112$/) })
    }
  })

  test('finds changes that do not follow one another, also without blocks and reads', async () => {
    const node = await startDevnet({ seed: 7, blocks: 120 })
    cleanups.push(node.close)
    const lake = newLake()
    await run({ lake, url: node.url, values: { finality: 0, unit: 50 } })
    expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
    const repeated = 'GROUP BY address HAVING count(*) > 1'
    const [slot] = await query(
      lake,
      `SELECT address, slot FROM evm_storage_changes GROUP BY ALL HAVING count(*) > 1 LIMIT 1`,
    )
    const [sender] = await query(lake, `SELECT address FROM evm_nonce_changes ${repeated} LIMIT 1`)
    const isSlot = (row: Row) => row['address'] === slot!['address'] && row['slot'] === slot!['slot']
    const first: [string, string, (rows: Row[]) => Row[]][] = [
      ['evm_storage_changes', 'slot_value_before', altered('slot_value_after', () => word('a'), isSlot)],
      [
        'evm_nonce_changes',
        'nonce_before',
        altered(
          'nonce_after',
          () => 9_000n,
          ({ address }) => address === sender!['address'],
        ),
      ],
    ]
    for (const [table, column, change] of first) {
      const copy = copyOf(lake)
      const [file] = await filesOf(copy, table)
      await rewriteFile(copy, file!, change)
      const { findings } = await verifyLake({ lake: { folder: copy } })
      expect(findings).toMatchObject([{ table, columns: [column], kind: 'rows.value' }])
    }
  })

  test('finds transactions without the nonce of their sender', async () => {
    const { url } = await serve()
    const lake = newLake()
    for (const pipeline of [evmBlocksPipeline, evmStateDiffsPipeline])
      await run({ lake, url, pipeline, values: { chain: url } })
    expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
    const [file] = await filesOf(lake, 'evm_nonce_changes')
    await rewriteFile(lake, file!, (rows) => rows.slice(1))
    const { findings } = await verifyLake({ lake: { folder: lake } })
    expect(findings).toMatchObject([
      { kind: 'rows.missing', table: 'evm_nonce_changes', otherTable: 'evm_transactions' },
    ])
  })

  test('remarks on such transactions of other chains, which may have no changes', async () => {
    const { url } = await serve(recorded.slice(0, 30), {
      interfere: ({ method }) => (method === 'eth_chainId' ? { result: '0x3e7' } : undefined),
    })
    const lake = newLake()
    for (const pipeline of [evmBlocksPipeline, evmStateDiffsPipeline])
      await run({ lake, url, pipeline, values: { chain: url, finality: 0 } })
    const [file] = await filesOf(lake, 'evm_nonce_changes')
    await rewriteFile(lake, file!, (rows) => rows.slice(1))
    const { findings, remarks } = await verifyLake({ lake: { folder: lake } })
    expect(findings).toEqual([])
    expect(remarks.map(({ message }) => message)).toContain(
      '1 transaction of chain evm-999/999 used gas, but has no rows in evm_nonce_changes. Some chains execute transactions like that.',
    )
  })
})
