import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { committedLake, runOver } from '../../catalog/committed-lake.ts'
import { sql } from '../../catalog/sql.ts'
import { exportLake } from '../export-lake.ts'
import { entriesOf, folderOf, manifestsOf, metadataOf, pathsOf, publish, start } from '../iceberg-table.ts'
import { command, newLake } from '../lake-run.ts'

const hour = 3_600_000
let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 12, blocks: 60 })
})
afterAll(() => node.close())

test('publish iceberg merges many small manifests into one', async () => {
  const { lake, catalog } = await committedLake(1)
  for (let from = 10; from <= 220; from += 10) {
    await publish(lake)
    await runOver({ lake, catalog }, from, 1)
  }
  await publish(lake)
  const last = metadataOf(lake).snapshots.at(-1)
  expect((await manifestsOf(lake, last!)).length).toBeLessThan(20)
  expect(pathsOf(await entriesOf(lake, last!)).length).toBe(23)
  expect(new Set(pathsOf(await entriesOf(lake, last!))).size).toBe(23)
})

test('publish iceberg removes files that no metadata of the last day references', async () => {
  const { lake, catalog } = await committedLake(1)
  for (let from = 10; from <= 120; from += 10) {
    await publish(lake)
    await runOver({ lake, catalog }, from, 1)
  }
  const old = (start - 25 * hour) / 1000
  for (const name of readdirSync(folderOf(lake))) utimesSync(join(folderOf(lake), name), old, old)
  await publish(lake)
  const names = readdirSync(folderOf(lake)).filter((name) => name.endsWith('.json'))
  expect(names.sort()).toEqual(['v12.metadata.json', 'v13.metadata.json'])
  const metadata = metadataOf(lake)
  expect(metadata['metadata-log'].map((each) => basename(each['metadata-file']))).toEqual(['v12.metadata.json'])
  for (const snapshot of metadata.snapshots) expect((await entriesOf(lake, snapshot)).length).toBeGreaterThan(0)
})

/** Tables with metadata that name each visible file once, and with all of these files present. */
function shown(lake: string): Promise<[string, number][]> {
  const names = readdirSync(join(lake, 'iceberg'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return Promise.all(
    names.map(async ({ name }) => {
      const metadata = metadataOf(lake, name)
      const snapshot = metadata.snapshots.find((each) => each['snapshot-id'] === metadata['current-snapshot-id'])
      const paths = snapshot === undefined ? [] : pathsOf(await entriesOf(lake, snapshot, name))
      expect(new Set(paths).size).toBe(paths.length)
      for (const path of paths) expect(readFileSync(path.slice('file://'.length)).length).toBeGreaterThan(0)
      return [name, paths.length]
    }),
  )
}

test('a publication that is killed at any step is complete or not visible, and the next one finishes it', async () => {
  const lake = newLake()
  await exportLake({ node, lake, unit: 20, to: 20 })
  const args = ['publish', 'iceberg', '--lake', lake]
  expect(await command(args)).toMatchObject({ code: 0 })
  const before = await shown(lake)
  const kill = async (dieAt: string) =>
    expect(await command(args, { CHAINLAKE_DIE_AT: dieAt })).toMatchObject({ signal: 'SIGKILL' })
  await exportLake({ node, lake, unit: 20, from: 20, to: 40 })
  for (const step of ['iceberg.after-begin#2', 'iceberg.after-manifests#2', 'iceberg.before-reveal']) {
    await kill(step)
    expect(await shown(lake)).toEqual(before)
  }
  // The tables show the new state one after another; each one is complete.
  for (const step of ['iceberg.after-reveal', 'iceberg.after-reveal#2', 'iceberg.after-hint']) {
    await kill(step)
    await shown(lake)
  }
  expect(await command(args)).toMatchObject({ code: 0 })
  const after = new Map(await shown(lake))
  for (const [name, files] of before) expect(after.get(name)).toBeGreaterThanOrEqual(files)
  expect(after.get('p_blocks')).toBeGreaterThan(new Map(before).get('p_blocks') ?? 0)
  const left = readdirSync(join(lake, 'iceberg'), { recursive: true, encoding: 'utf8' })
  expect(left.filter((path) => basename(path).startsWith('.'))).toEqual([])
  const [again] = [await command([...args, '--json'])]
  expect(JSON.parse(again.stdout)).toMatchObject({ changed: [] })
})

test('a run publishes at its end, and expire publishes before it removes published files', async () => {
  const lake = newLake()
  const run = ['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--publish', 'iceberg', '--unit', '20']
  expect(await command([...run, '--publish', 'delta'])).toMatchObject({ code: 2 })
  expect(await command(run)).toMatchObject({ code: 0 })
  const files = new Map(await shown(lake)).get('p_blocks')
  expect(files).toBeGreaterThanOrEqual(3)
  expect(await command(['compact', '--lake', lake])).toMatchObject({ code: 0 })
  const expire = ['expire', '--older-than', '0s', '--lake', lake]
  expect(await command(expire)).toMatchObject({ code: 0 })
  expect(new Map(await shown(lake)).get('p_blocks')).toBeLessThan(files ?? 0)
  expect(metadataOf(lake, 'p_blocks').snapshots.length).toBe(1)
  await sql(
    lake,
    "UPDATE main.ducklake_files_scheduled_for_deletion SET schedule_start = schedule_start - INTERVAL '25 hours'",
  )
  expect(await command(expire)).toMatchObject({ code: 0 })
  await shown(lake)
})
