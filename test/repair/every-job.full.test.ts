import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { isUnrepeatable } from '../../src/repair/plan-removal.ts'
import { repairLake } from '../../src/repair/repair-lake.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { comparedRows } from '../run/compared-rows.ts'
import { command, newLake } from '../run/lake-run.ts'
import { damageSome, dataFiles, tableOf } from './damage.ts'

/** Outputs that are in no container can be read again only while they are unspent. */
const isRepeatable = (name: string) =>
  !tables.some((table) => table.name === name && isUnrepeatable(table)) && !name.endsWith('_state_outputs')

let node: Devnet
let whole = ''
let rows: Record<string, string>

/** Tables with rows that change when a later run reads them again: spent outputs, owners of tokens. */
const asFirstListed = /^rest_(._transactions|c_atomic_transactions|erc721_transfers)$/

/** Rows of every table that can be read again. */
function repeatableRows(lake: string): Promise<Record<string, string>> {
  return comparedRows(lake, ({ name, key, columns }) => {
    if (!isRepeatable(name)) return null
    return asFirstListed.test(name) ? key : Object.keys(columns)
  })
}

/**
 * Jobs of every walk: single and overlapping ranges, windows of time and of blocks, lists, observations, single
 * requests.
 */
const jobs = [
  ...['p-chain', 'x-chain', 'x-legacy-vertices', 'c-token-logs', 'c-receipts', 'x-transactions-by-id', 'x-utxo-set'],
  ...['p-transactions', 'x-vertices', 'p-node-blocks', 'rewards', 'signatures', 'tokens', 'wallets'],
]

async function runAll(lake: string): Promise<void> {
  const config = join(packageRoot(), 'examples', 'devnet.yaml')
  const { code, stderr } = await command(['run', ...jobs, '--config', config, '--lake', lake], {
    DEVNET_URL: node.url,
  })
  expect(code, stderr.slice(-3000)).toBe(0)
}

beforeAll(async () => {
  node = await startDevnet({ seed: 21, blocks: 100, legacy: true })
  whole = newLake()
  await runAll(whole)
  await node.grow(40)
  await runAll(whole)
  rows = await repeatableRows(whole)
}, 1_800_000)
afterAll(() => node.close())

describe('a lake of every job after damage, repair and a run', () => {
  test('has files of more than twenty tables', () => {
    expect(new Set(dataFiles(whole).map(tableOf)).size).toBeGreaterThan(20)
  })

  test.each([
    [1, 1],
    [2, 3],
    [3, 8],
    [4, 30],
    [6, 10_000],
  ])('has the rows of an undamaged lake (seed %d, %d damaged files)', async (seed, count) => {
    const lake = newLake()
    cpSync(whole, lake, { recursive: true })
    const done = damageSome(lake, { seed, count, isOf: isRepeatable })
    const stop = new AbortController().signal
    const { snapshotId, plan } = await repairLake({ lake: { folder: lake }, requested: null, stop })
    expect(snapshotId, JSON.stringify(done)).not.toBeNull()
    expect(plan.lost).toEqual([])
    // The remaining rows may still refer to removed ones.
    expect((await verifyLake({ lake: { folder: lake }, fast: true })).findings, JSON.stringify(done)).toEqual([])
    await runAll(lake)
    expect((await verifyLake({ lake: { folder: lake } })).findings, JSON.stringify(done)).toEqual([])
    const found = await repeatableRows(lake)
    const wrong = Object.keys(rows).filter((table) => found[table] !== rows[table])
    expect(
      wrong.map((table) => [table, rows[table], found[table]]),
      JSON.stringify(done),
    ).toEqual([])
  })
})
