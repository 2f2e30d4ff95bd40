import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevnet } from '../../src/devnet/serve.ts'
import { exportLake } from './export-lake.ts'
import { command, contents, newLake } from './lake-run.ts'

const backupPoints = [
  'backup.before-copy',
  'backup.after-copy',
  'backup.after-catalog-rename',
  'backup.after-facts-rename',
]
const restorePoints = ['restore.before-keep', 'restore.after-keep', 'restore.after-rename']

test('a backup and a restore succeed after earlier attempts were killed at each step', async () => {
  const node = await startDevnet({ seed: 7, blocks: 120 })
  const lake = newLake()
  const backup = mkdtempSync(join(tmpdir(), 'chainlake-backup-'))
  await exportLake({ node, lake, unit: 60 })
  const before = await contents(lake)
  const diesAt = async (point: string, args: readonly string[]) => {
    const { signal, stderr } = await command([...args, '--lake', lake], { CHAINLAKE_DIE_AT: point })
    expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
  }
  for (const point of backupPoints) await diesAt(point, ['backup', backup])
  const taken = await command(['backup', backup, '--lake', lake])
  expect(taken.code, taken.stderr).toBe(0)

  writeFileSync(join(lake, 'catalog.ducklake'), 'nonsense '.repeat(10_000))
  for (const point of restorePoints) await diesAt(point, ['restore', backup])
  const given = await command(['restore', backup, '--lake', lake])
  expect(given.code, given.stderr).toBe(0)
  const { summary } = await exportLake({ node, lake, unit: 60 })
  expect(summary.jobs[0]).toMatchObject({ upToDate: true })
  expect(await contents(lake)).toEqual(before)
  await node.close()
})
