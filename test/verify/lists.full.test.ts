import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import type { Table } from '../../src/define/index.ts'
import type { Stream } from '../../src/model.ts'
import { repairLake } from '../../src/repair/repair-lake.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { sql } from '../catalog/sql.ts'
import { damageSome } from '../repair/damage.ts'
import { devnetOptions, walks } from '../run/cuts/walks.ts'
import { newLake, query } from '../run/lake-run.ts'
import { listOf, type Requested, runService } from '../run/lists/devnet-jobs.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet(devnetOptions)
})
afterAll(() => node.close())

type Counts = { rowsRead: number; rowsNew: number; rowsKnown: number }

/** The counts that commits recorded, by table. */
async function countsOf(lake: string): Promise<Record<string, Counts>> {
  const { lists } = await (await openCatalog({ folder: lake }, tables)).inventory()
  const counts: Record<string, Counts> = {}
  for (const { table, rowsRead, rowsNew, rowsKnown } of lists) {
    const sum = counts[table] ?? { rowsRead: 0, rowsNew: 0, rowsKnown: 0 }
    counts[table] = {
      rowsRead: sum.rowsRead + rowsRead,
      rowsNew: sum.rowsNew + rowsNew,
      rowsKnown: sum.rowsKnown + rowsKnown,
    }
  }
  return counts
}

async function rowsIn(lake: string, jobs: readonly Requested[]): Promise<Record<string, number>> {
  const names = jobs.flatMap(({ pipeline }) => Object.values<Table>(pipeline.tables).map(({ name }) => name))
  const found = await query(
    lake,
    names.map((name) => `SELECT '${name}' AS name, count(*)::INT AS n FROM ${name}`).join(' UNION ALL '),
  )
  return Object.fromEntries(found.flatMap(({ name, n }) => (n === 0 ? [] : [[String(name), Number(n)]])))
}

const faults = async (lake: string) => {
  const { findings, unverifiable } = await verifyLake({ lake: { folder: lake } })
  return { findings, unverifiable: unverifiable.filter(({ reason }) => reason.includes('commit')) }
}
const sound = { findings: [], unverifiable: [] }

const lists = Object.entries(walks).filter(([name]) =>
  /^(pageChain|oldestFirst|blockWindow|timeWindow|heightRange|series|keyed)/.test(name),
)

test.each(lists)(
  '%s: each row that a run reads is new or known, in the first run and in a second one',
  async (_, jobsOf) => {
    const jobs = await jobsOf(node)
    const lake = newLake()
    await runService(node, lake, jobs)
    const stored = await rowsIn(lake, jobs)
    expect(Object.values(stored).some((rows) => rows > 0)).toBe(true)
    const first = await countsOf(lake)
    expect(Object.fromEntries(Object.entries(first).map(([table, { rowsNew }]) => [table, rowsNew]))).toEqual(stored)
    for (const { rowsRead, rowsNew, rowsKnown } of Object.values(first)) expect(rowsRead).toBe(rowsNew + rowsKnown)
    await runService(node, lake, jobs)
    for (const { rowsRead, rowsNew, rowsKnown } of Object.values(await countsOf(lake)))
      expect(rowsRead).toBe(rowsNew + rowsKnown)
    expect(await faults(lake)).toEqual(sound)
  },
)

test('a transfer between two watched wallets is read twice and stored once', async () => {
  const jobs = await walks['blockWindow of wallets']!(node)
  const lake = newLake()
  await runService(node, lake, jobs)
  const wallets = (await listOf(node, 'evm')).slice(0, 8).map((wallet) => wallet.toLowerCase())
  const among = `lower(from_address) IN ('${wallets.join("', '")}') AND lower(to_address) IN ('${wallets.join("', '")}') AND from_address <> to_address`
  const [row] = await query(lake, `SELECT count(*)::INT AS n FROM rest_erc20_transfers WHERE ${among}`)
  expect(row?.['n']).toBeGreaterThan(0)
  expect((await countsOf(lake))['rest_erc20_transfers']?.rowsKnown).toBe(row?.['n'])
})

describe('a lake of a list', () => {
  const job = walks['pageChain of the P chain']!
  const stream: Stream = { network: 'local', path: 'rest-transactions/p-chain', parameters: {} }

  /** Commits progress as a faulty run did: it counts items, but their rows are missing. */
  async function loseRows(lake: string): Promise<string> {
    const catalog = await openCatalog({ folder: lake }, tables)
    const [row] = await sql(lake, 'SELECT DISTINCT stream FROM chainlake.stretch')
    const name = String(row?.['stream'])
    const own = { ...stream, path: name.slice('local/'.length) }
    const run = await catalog.startRun({ streams: [own], command: 'test', writes: ['rest_p_transactions'] })
    const stretches = (await catalog.stretches(own)).map((each) => ({ ...each, items: each.items + 150 }))
    await catalog.commit({
      runId: run.id,
      stream: own,
      tables: ['rest_p_transactions'],
      parts: [],
      progress: { kind: 'stretches', stretches },
      read: new Map(),
      basis: null,
    })
    await run.end('done')
    return name
  }

  test('with silently lost rows has a finding', async () => {
    const lake = newLake()
    await runService(node, lake, await job(node))
    expect(await faults(lake)).toEqual(sound)
    const name = await loseRows(lake)
    expect((await faults(lake)).findings).toEqual([
      expect.objectContaining({ kind: 'catalog.rows', table: 'rest_p_transactions', stream: name, rows: 150 }),
    ])
  })

  test('has no findings after a repair, before and after it is read again', async () => {
    const lake = newLake()
    const jobs = await job(node)
    await runService(node, lake, jobs)
    const before = await rowsIn(lake, jobs)
    damageSome(lake, { seed: 1, count: 1, isOf: (table) => table === 'rest_p_transactions' })
    expect((await faults(lake)).findings).not.toEqual([])
    await repairLake({ lake: { folder: lake }, requested: null, stop: new AbortController().signal })
    expect(await faults(lake)).toEqual(sound)
    await runService(node, lake, jobs)
    expect(await faults(lake)).toEqual(sound)
    expect(await rowsIn(lake, jobs)).toEqual(before)
  })

  test('without records of its commits has a finding', async () => {
    const lake = newLake()
    await runService(node, lake, await job(node))
    await sql(lake, 'DELETE FROM chainlake.list_commit')
    const { findings } = await faults(lake)
    expect(findings.map(({ kind, table }) => `${kind} ${table}`)).toEqual(['catalog.rows rest_p_transactions'])
  })
})
