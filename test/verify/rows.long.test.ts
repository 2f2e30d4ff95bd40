import { beforeAll, describe, expect, test } from 'vitest'
import type { Finding } from '../../src/verify/report.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { sql } from '../catalog/sql.ts'
import { filesOf, type Row, rewriteFile } from './rewrite-file.ts'
import { copyOf, filteredLogsLake, legacyLake, soundLake } from './sound-lake.ts'

const lakes = { sound: '', legacy: '' }
beforeAll(async () => {
  lakes.sound = await soundLake()
  lakes.legacy = await legacyLake()
})

type Change = (rows: Row[]) => Row[]
type Case = readonly [name: string, table: string, change: Change, expected: object]

/** The findings after files of some tables were rewritten with other rows, with a matching catalog. */
async function findingsOf(lake: string, cases: readonly Case[]): Promise<readonly Finding[]> {
  for (const [, table, change] of cases) {
    const files = await filesOf(lake, table)
    expect(files.length, table).toBeGreaterThan(0)
    await rewriteFile(lake, files.at(-1) ?? '', change)
  }
  const { findings } = await verifyLake({ lake: { folder: lake } })
  expect(findings.filter(({ kind }) => kind.startsWith('file.'))).toEqual([])
  return findings
}

const altered = (column: string, value: (row: Row) => unknown) => (rows: Row[]) => {
  const row = rows[Math.floor(rows.length / 2)]!
  row[column] = value(row)
  return rows
}
const doubled = (rows: Row[]) => [rows[0]!, ...rows]
const lost = (rows: Row[]) => rows.filter((_, position) => position !== Math.floor(rows.length / 2))
const isTransfer = ({ kind }: Row) => kind === 'transfer'
const otherId = (id: string) => (id.startsWith('0x') ? `0x${'ab'.repeat(32)}` : `2${id.slice(1, -1)}x`)

/** Damaged rows in files that match the catalog: one table each. */
const linear: readonly Case[] = [
  ['a block twice', 'c_blocks', doubled, { kind: 'rows.key', table: 'c_blocks', stream: 'local/C/block' }],
  ['a block less', 'p_blocks', lost, { kind: 'rows.missing', table: 'p_blocks', rows: 1, stream: 'local/P/block' }],
  [
    'another parent',
    'x_blocks',
    altered('parent_id', (row) => otherId(row['parent_id'])),
    { kind: 'rows.parent', table: 'x_blocks', file: expect.any(String), height: expect.any(Number) },
  ],
  [
    'another last block by RPC',
    'evm_blocks',
    altered('block_hash', (row) => otherId(row['block_hash'])),
    { kind: 'catalog.coverage', table: 'evm_blocks' },
  ],
  ['a transaction less', 'c_transactions', lost, { kind: 'rows.count', table: 'c_transactions' }],
  ['an output less', 'x_outputs', lost, { kind: 'rows.count', table: 'x_outputs' }],
  ['a sender twice', 'c_senders', doubled, { kind: 'rows.key', table: 'c_senders' }],
  ['a log less', 'evm_logs', lost, { kind: 'rows.count', table: 'evm_logs' }],
  [
    'a validation of another transaction',
    'p_validations',
    altered('tx_index', () => 77n),
    { kind: 'rows.orphan', table: 'p_validations' },
  ],
  [
    'an amount that is spent',
    'x_inputs',
    (rows) => rows.map((row) => ({ ...row, amount: row['amount'] === null ? null : BigInt(row['amount']) + 1n })),
    { kind: 'rows.input', table: 'x_inputs' },
  ],
  [
    'an output that is spent twice',
    'p_inputs',
    (rows) => {
      const [first, other] = [rows.find(isTransfer)!, rows.findLast(isTransfer)!]
      other['source_tx_id'] = first['source_tx_id']
      other['source_output_index'] = first['source_output_index']
      return rows
    },
    { kind: 'rows.spent-twice', table: 'p_inputs', found: expect.stringContaining(', ') },
  ],
  [
    'an import of what nobody exported',
    'c_atomic_inputs',
    (rows) => rows.map((row) => (row['kind'] === 'import' ? { ...row, source_output_index: 99n } : row)),
    { kind: 'rows.input', table: 'c_atomic_inputs' },
  ],
  [
    'a byte of a raw container',
    'containers',
    altered('bytes', (row) => Buffer.from(row['bytes']).fill(7, 20, 21)),
    { kind: 'rows.raw', table: 'containers' },
  ],
  [
    'what a raw container says of a transaction',
    'p_transactions',
    altered('tx_type', () => 'OtherTx'),
    { kind: 'rows.raw', table: 'p_transactions', expected: expect.any(String), found: 'OtherTx' },
  ],
]

const legacy: readonly Case[] = [
  ['a vertex less', 'x_vertices', lost, { kind: 'rows.missing', table: 'x_vertices' }],
  ['a transaction less', 'x_transactions', lost, { kind: 'rows.missing', table: 'x_transactions' }],
  ['a raw container less', 'containers', lost, { kind: 'rows.missing', table: 'containers' }],
  ['an output twice', 'x_outputs', doubled, { kind: 'rows.key', table: 'x_outputs' }],
  ['an asset less', 'x_assets', lost, { kind: 'rows.count', table: 'x_assets' }],
]

describe('rows that contradict each other in files that match the catalog', () => {
  test.each([
    ['of blocks', 'sound', linear],
    ['of before', 'legacy', legacy],
  ] as const)('are found in a lake %s', async (_, lake, cases) => {
    const findings = await findingsOf(copyOf(lakes[lake]), cases)
    for (const [name, , , expected] of cases) expect(findings, name).toContainEqual(expect.objectContaining(expected))
  })

  test('are found when coverage is too wide or too narrow', async () => {
    const lake = copyOf(lakes.sound)
    await sql(lake, "UPDATE chainlake.coverage SET slice_to = slice_to + 40 WHERE stream = 'local/C/block'")
    await sql(lake, "UPDATE chainlake.coverage SET slice_to = slice_to - 40 WHERE stream = 'local/X/block'")
    const { findings } = await verifyLake({ lake: { folder: lake } })
    const missing = { kind: 'rows.missing', table: 'c_blocks', rows: 40, slice: { from: 121, to: 161 } }
    expect(findings).toContainEqual(expect.objectContaining(missing))
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'rows.beyond', table: 'x_blocks', rows: 40 }))
  })
})

test('logs of a filter must match the transactions of another stream where both cover the same blocks', async () => {
  const lake = await filteredLogsLake()
  expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
  const findings = await findingsOf(lake, [['a log less', 'evm_logs', (rows) => rows.slice(0, -1), {}]])
  expect(findings).toContainEqual(expect.objectContaining({ kind: 'rows.count', table: 'evm_logs' }))
})

test('sound lakes have no findings, and verify counts inputs that spend outputs outside the lake', async () => {
  for (const [lake, counted] of [
    [lakes.sound, ['p_inputs', 'x_inputs']],
    [lakes.legacy, ['x_inputs']],
  ] as const) {
    const { findings, remarks } = await verifyLake({ lake: { folder: lake } })
    expect(findings).toEqual([])
    const spent = remarks.filter(({ table }) => table?.endsWith('_inputs'))
    expect(spent.map(({ table }) => table)).toEqual(counted)
  }
})
