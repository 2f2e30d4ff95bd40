import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { backUpLake, copyCatalog } from '../../src/catalog/backup.ts'
import { findLost } from '../../src/catalog/lost-files.ts'
import { stepNames } from '../../src/lib/step.ts'
import { openFolderStore } from '../../src/store/folder-store.ts'
import { sql } from '../catalog/sql.ts'
import { exportLake } from './export-lake.ts'
import { command, ended, newLake, startCommand, wholeLake } from './lake-run.ts'

const unit = 60
const blocks = 600
const half = blocks / 2

let node: Devnet
let quiet: Awaited<ReturnType<typeof wholeLake>>
const exportTo = (lake: string, to = blocks) => exportLake({ node, lake, unit, raw: true, to })

beforeAll(async () => {
  node = await startDevnet({ seed: 11, blocks })
  const lake = newLake()
  await exportTo(lake)
  quiet = await wholeLake(lake)
})
afterAll(() => node.close())

/** The state of a lake without the files of runs that a restore has replaced. */
async function stateOf(lake: string) {
  return { ...(await wholeLake(lake)), stray: [] }
}

test('each of twenty backups during a committing run is complete and consistent', async () => {
  const lake = newLake()
  await exportTo(lake, unit)
  const dir = join(newLake(), 'backup')
  const args = ['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--raw', '--unit', '3']
  const child = startCommand(args)
  const running = ended(child)
  const snapshots: number[] = []
  let over = false
  void running.then(() => {
    over = true
  })
  for (let each = 0; each < 20; each++) {
    const { facts } = await backUpLake({ lake: { folder: lake }, dir })
    const { files, snapshot } = await copyCatalog(join(dir, facts.catalog.file), join(dir, `.copy-${each}`), 5_000)
    expect(await findLost(openFolderStore(lake), files)).toEqual([])
    expect(snapshot.snapshotId).toBe(facts.snapshotId)
    // The coverage matches the rows of the files: the backup does not contain half of a commit.
    const [covered] = await sql(
      dir,
      `SELECT (SELECT sum(slice_to - slice_from) FROM chainlake.coverage WHERE table_name = 'p_blocks')::int AS covered,
         (SELECT sum(record_count) FROM ducklake_data_file JOIN ducklake_table USING (table_id) WHERE table_name = 'p_blocks')::int AS rows,
         (SELECT max(snapshot_id) FROM ducklake_snapshot)::int AS snapshot`,
      `.copy-${each}`,
    )
    expect(covered?.['covered']).toBe(covered?.['rows'])
    expect(covered?.['snapshot']).toBe(facts.snapshotId)
    snapshots.push(facts.snapshotId)
  }
  expect(over || new Set(snapshots).size > 3, `${over} ${snapshots}`).toBe(true)
  expect(snapshots).toEqual([...snapshots].sort((a, b) => a - b))
  child.kill('SIGINT')
  await running
  expect(readdirSync(dir).filter((name) => !name.startsWith('.'))).toHaveLength(2)
})

describe('a kill', () => {
  const points = stepNames.filter((name) => name.startsWith('backup.'))
  test.each(points)('at %s leaves the earlier or the new backup, and the next backup succeeds', async (point) => {
    const lake = newLake()
    await exportTo(lake, half)
    const dir = join(newLake(), 'backup')
    await backUpLake({ lake: { folder: lake }, dir })
    await exportTo(lake)
    const killed = await command(['backup', dir, '--lake', lake], { CHAINLAKE_DIE_AT: point })
    expect(killed.signal, killed.stderr).toBe('SIGKILL')
    const copied = await command(['restore', dir, '--lake', lake])
    expect(copied.code, copied.stderr).toBe(0)
    await exportTo(lake)
    expect(await stateOf(lake)).toEqual({ ...quiet, stray: [] })
    await backUpLake({ lake: { folder: lake }, dir })
  })

  const restoring = [...stepNames.filter((name) => name.startsWith('restore.')), 'publish.after-catalog-rename']
  test.each(restoring)('at %s leaves a lake that a run can use and that can be restored again', async (point) => {
    const lake = newLake()
    await exportTo(lake, half)
    const dir = join(newLake(), 'backup')
    await backUpLake({ lake: { folder: lake }, dir })
    await exportTo(lake)
    const killed = await command(['restore', dir, '--lake', lake], { CHAINLAKE_DIE_AT: point })
    expect(killed.signal, killed.stderr).toBe('SIGKILL')
    // The lake is used immediately.
    await exportTo(lake)
    expect(await stateOf(lake)).toEqual({ ...quiet, stray: [] })
    // The lake is restored again.
    const again = await command(['restore', dir, '--lake', lake, '--json'])
    expect(again.code, again.stderr).toBe(0)
    expect(JSON.parse(again.stdout)).toMatchObject({
      newer: expect.arrayContaining([expect.objectContaining({ table: 'p_blocks' })]),
    })
    await exportTo(lake)
    expect(await stateOf(lake)).toEqual({ ...quiet, stray: [] })
  })
})
