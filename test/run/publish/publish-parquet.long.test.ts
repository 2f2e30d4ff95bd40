import { lutimesSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { exportLake } from '../export-lake.ts'
import { flatRows, flatTables } from '../flat-tables.ts'
import { command, newLake, query } from '../lake-run.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 12, blocks: 60 })
})
afterAll(() => node.close())

/** Number of rows that readers of each published table see. */
async function shown(folder: string): Promise<Map<string, number>> {
  const rows = new Map<string, number>()
  for (const table of flatTables(folder)) rows.set(table, (await flatRows(folder, table)).length)
  return rows
}

/** Number of rows of each table of a lake. */
async function rowsOf(lake: string, tables: readonly string[]): Promise<Map<string, number>> {
  const counts = tables.map((table) => `SELECT '${table}' AS name, count(*)::INT AS n FROM ${table}`)
  const rows = await query(lake, counts.join(' UNION ALL '))
  return new Map(rows.map((row) => [String(row['name']), Number(row['n'])]))
}

/** Makes the last switch of each table look old, so that the next publication removes what it replaced. */
function makeOld(folder: string): void {
  for (const table of flatTables(folder)) lutimesSync(join(folder, table), 1000, 1000)
}

test('a publication that is killed at any step shows each table as before or complete, and the next one completes it', async () => {
  const lake = newLake()
  const folder = join(lake, 'parquet')
  const args = ['publish', 'parquet', '--lake', lake]
  await exportLake({ node, lake, unit: 20, to: 20 })
  const kill = async (dieAt: string) =>
    expect(await command(args, { CHAINLAKE_DIE_AT: dieAt })).toMatchObject({ signal: 'SIGKILL' })
  for (const step of ['parquet.after-claim', 'parquet.after-file#2', 'parquet.before-switch']) {
    await kill(step)
    expect(flatTables(folder)).toEqual([])
  }
  expect(await command(args)).toMatchObject({ code: 0 })
  const before = await shown(folder)
  expect(before).toEqual(await rowsOf(lake, [...before.keys()]))
  await exportLake({ node, lake, unit: 20, from: 20, to: 40 })
  expect(await command(['compact', '--lake', lake])).toMatchObject({ code: 0 })
  const complete = await rowsOf(lake, [...before.keys()])
  expect(complete).not.toEqual(before)
  for (const step of [
    'parquet.after-file',
    'parquet.after-file#5',
    'parquet.before-switch',
    'parquet.after-switch',
    'parquet.before-switch#2',
    'parquet.after-switch#2',
    'parquet.after-removal#2',
  ]) {
    if (step.startsWith('parquet.after-removal')) makeOld(folder)
    await kill(step)
    for (const [table, rows] of await shown(folder)) expect([before.get(table), complete.get(table)]).toContain(rows)
  }
  expect(await command(args)).toMatchObject({ code: 0 })
  expect(await shown(folder)).toEqual(complete)
  makeOld(folder)
  const again = await command([...args, '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ changed: [], folder })
  expect(await shown(folder)).toEqual(complete)
  const left = readdirSync(join(folder, '.chainlake')).filter((name) => name.startsWith('.'))
  const generations = flatTables(folder).map((table) => readdirSync(join(folder, '.chainlake', table)).length)
  expect(left).toEqual([])
  expect([...new Set(generations)]).toEqual([1])
})

test('a run publishes at its end, and expire removes no published file', async () => {
  const lake = newLake()
  const to = join(lake, '../flat')
  const run = ['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--unit', '20', '--publish-to', to]
  expect(await command(run)).toMatchObject({ code: 2 })
  expect(await command([...run, '--publish', 'iceberg'])).toMatchObject({ code: 2 })
  expect(await command([...run, '--publish', 'parquet'])).toMatchObject({ code: 0 })
  const before = await shown(to)
  expect(before).toEqual(await rowsOf(lake, [...before.keys()]))
  expect(await command(['compact', '--lake', lake])).toMatchObject({ code: 0 })
  expect(await command(['expire', '--older-than', '0s', '--lake', lake])).toMatchObject({ code: 0 })
  expect(await shown(to)).toEqual(before)
})
