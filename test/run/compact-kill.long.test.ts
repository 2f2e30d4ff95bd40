import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { type Devnet, startDevnet } from '../../src/devnet/serve.ts'
import { sql } from '../catalog/sql.ts'
import { exportLake } from './export-lake.ts'
import { command, newLake, query, rowSets, strayFiles } from './lake-run.ts'

/** Each kill except those before a commit uses up one merge, so there must be more merges than kills. */
const compacting = [
  'compact.before-read',
  'write.after-open#2',
  'write.between-fsyncs',
  'compact.after-write#2',
  'compact.before-begin',
  'compact.after-files#2',
  'compact.after-commit',
  'compact.after-close',
  'publish.after-catalog-rename',
]
const expiring = [
  'expire.before-begin',
  'expire.after-files',
  'expire.after-commit',
  'expire.after-close',
  'expire.after-mark',
]

describe('a process that is killed repeatedly, at one named step after another', () => {
  let node: Devnet
  beforeAll(async () => {
    node = await startDevnet({ seed: 7, blocks: 160 })
  })
  afterAll(() => node.close())

  const kill = async (args: readonly string[], dieAt: string): Promise<void> => {
    const { signal, stderr } = await command(args, { CHAINLAKE_DIE_AT: dieAt })
    expect(signal, `${dieAt}: ${stderr}`).toBe('SIGKILL')
  }
  const work = async (args: readonly string[]): Promise<void> => {
    const { code, stderr } = await command(args)
    expect(code, stderr).toBe(0)
  }
  const filesOf = async (lake: string) => {
    const { tables: known } = await (await openCatalog({ folder: lake }, tables)).files()
    return known.flatMap(({ name, files }) => files.map(({ partition }) => `${name} ${partition.join('/')}`))
  }

  test('loses no rows during compact and during expire', async () => {
    const lake = newLake()
    await exportLake({ node, lake, unit: 40, raw: true })
    const rows = await rowSets(lake)
    const compact = ['compact', '--lake', lake]
    for (const step of compacting) await kill(compact, step)
    await work(compact)
    expect(await rowSets(lake)).toEqual(rows)
    const files = await filesOf(lake)
    expect(files).toEqual([...new Set(files)])
    expect(await strayFiles(lake)).toEqual([])

    const expire = ['expire', '--older-than', '0s', '--lake', lake]
    for (const step of expiring) await kill(expire, step)
    await work(expire)
    const earlier = await (await openCatalog({ folder: lake }, tables)).earlierFiles()
    expect(earlier.length).toBeGreaterThan(0)
    await sql(
      lake,
      "UPDATE main.ducklake_files_scheduled_for_deletion SET schedule_start = schedule_start - INTERVAL '25 hours'",
    )
    await kill(expire, 'expire.after-removal')
    await work(expire)
    expect(await (await openCatalog({ folder: lake }, tables)).earlierFiles()).toEqual([])
    expect(await rowSets(lake)).toEqual(rows)
    expect(await strayFiles(lake)).toEqual([])
  })

  test('loses no rows during a run with --compact', async () => {
    const lake = newLake()
    const run = ['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--unit', '8', '--compact']
    // Sixteen commits fill a level. Each later round adds one commit more.
    for (const [to, step] of [
      ['136', 'compact.after-write'],
      ['144', 'compact.after-files'],
      ['152', 'compact.after-commit'],
    ] as const)
      await kill([...run, '--to', to], step)
    await work(run)
    const quiet = newLake()
    await exportLake({ node, lake: quiet })
    expect(await rowSets(lake)).toEqual(await rowSets(quiet))
    expect(await query(lake, 'select count(*) as n from p_blocks')).toEqual([{ n: '160' }])
    expect(await strayFiles(lake)).toEqual([])
  })
})
