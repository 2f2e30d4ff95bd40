import { beforeAll, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { tables } from '../../schemas/index.ts'
import { sourcePairs } from '../../src/verify/source-pairs.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake } from '../run/lake-run.ts'
import { profileOf } from '../run/lists/devnet-jobs.ts'
import { filesOf, rewriteFile } from './rewrite-file.ts'
import { copyOf } from './sound-lake.ts'

const lake = newLake()
beforeAll(async () => {
  const node = await startDevnet({ port: 0, blocks: 60 })
  const jobs = [
    jobOf(pBlocksPipeline, { to: 51 }),
    jobOf(cBlocksPipeline, { from: 11 }),
    jobOf(evmBlocksPipeline, { to: 50 }),
    jobOf(restTransactionsPipeline, { network: 'local', blockchain: 'p-chain' }),
    jobOf(restTransactionsPipeline, { network: 'local', blockchain: 'c-chain' }),
  ]
  try {
    await exportLake({ node, lake, jobs, service: profileOf(node) })
  } finally {
    await node.close()
  }
})

test('verify has no findings when two sources agree, and counts equal and unique rows for each pair of tables', async () => {
  const { findings, remarks } = await verifyLake({ lake: { folder: lake } })
  expect(findings).toEqual([])
  const pairs = remarks.filter(({ rows }) => rows !== undefined)
  // The C-Chain from block 11 on, and its first 50 blocks with the genesis.
  expect(pairs.find(({ rows }) => 'evm_blocks' in rows!.only && 'c_blocks' in rows!.only)).toMatchObject({
    rows: { alike: 39, only: { c_blocks: 11, evm_blocks: 11 } },
    message:
      'c_blocks and evm_blocks: 39 rows are equal, 11 are only in c_blocks, 11 are only in evm_blocks. This is normal if one source covers less or omits such rows.',
  })
  const ofP = pairs.find(({ table }) => table === 'rest_p_transactions')
  expect(ofP?.rows?.alike).toBeGreaterThan(20)
  expect(ofP?.rows?.only['rest_p_transactions']).toBeGreaterThan(0)
})

test('verify names different, missing and extra rows of a pair, with table and key', async () => {
  const damaged = copyOf(lake)
  const change = async (table: string, rows: Parameters<typeof rewriteFile>[2]) => {
    for (const file of await filesOf(damaged, table)) await rewriteFile(damaged, file, rows)
  }
  await change('evm_blocks', (rows) => rows.map((row) => ({ ...row, gas_limit: 5n })))
  await change('c_transactions', (rows) => rows.filter(({ block_number: at }) => Number(at) !== 30))
  await change('rest_p_transactions', (rows) =>
    rows.map((row) =>
      Number(row['height']) < 10
        ? { ...row, tx_id: `${row['tx_id']}x` }
        : { ...row, block_id: 'other', node_id: 'NodeID-other' },
    ),
  )
  const other = '11111111111111111111111111111111LpoYZ'
  await change('rest_c_atomic_transactions', (rows) =>
    rows.map((row) => ({ ...row, block_hash: '0x00', source_chain_id: other })),
  )
  const { findings } = await verifyLake({ lake: { folder: damaged } })
  const found = (expected: object) => expect(findings).toContainEqual(expect.objectContaining(expected))
  found({ kind: 'source.different', table: 'c_blocks', found: '5 in evm_blocks', stream: 'local/C/block' })
  found({
    kind: 'source.extra',
    table: 'c_transactions',
    height: 30,
    key: expect.objectContaining({ block_number: '30' }),
  })
  found({ kind: 'source.different', table: 'p_transactions', found: 'other in rest_p_transactions' })
  found({ kind: 'source.extra', table: 'p_transactions' })
  found({ kind: 'source.different', table: 'p_validations', columns: ['node_id'] })
  const atomic = { kind: 'source.different', otherTable: 'rest_c_atomic_transactions' }
  found({ ...atomic, table: 'c_atomic_transactions', columns: ['source_chain_id'] })
  found({ ...atomic, table: 'c_blocks', columns: ['block_hash'] })
})

test('each pair refers to existing tables and columns', () => {
  for (const { own, other, values } of sourcePairs)
    for (const [side, at] of [
      [own, 0],
      [other, 1],
    ] as const) {
      expect(tables).toContain(side.table)
      for (const value of [...side.key, ...Object.values(values).map((pair) => pair[at])])
        if (/^[a-z_]+$/.test(value)) expect(Object.keys(side.table.columns), side.table.name).toContain(value)
    }
})
