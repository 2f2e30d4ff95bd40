import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { chainlake } from '../cli/in-process.ts'
import { rowSets } from '../run/lake-run.ts'
import { damage, dataFiles, tableOf } from './damage.ts'
import { rangeLake } from './range-lake.ts'

const { whole, rows, copied, goOn, repair, coverageOf, findingsOf } = rangeLake()

describe('a damaged file of a range', () => {
  test('is removed with its slice, coverage is split there, and the next run reads only that slice', async () => {
    const lake = copied()
    // The second unit of four and a half.
    const [path] = dataFiles(lake, (table) => table === 'p_blocks').filter((file) => file.includes('20-'))
    damage(lake, path!, 'byte', { random: () => 0.5, other: '' })
    const [before] = await coverageOf(lake, 'p_blocks')
    expect(before?.slice).toEqual({ from: 1, to: 91 })
    const { plan, findings, snapshotId } = await repair(lake)
    expect(findings[0]).toMatchObject({ kind: 'file.hash', table: 'p_blocks' })
    expect(snapshotId).toBeGreaterThan(0)
    expect(new Set(plan.cuts.map(({ table, slice }) => `${table} ${slice.from}-${slice.to}`))).toEqual(
      new Set(['p_blocks 20-40']),
    )
    const [left, right] = await coverageOf(lake, 'p_blocks')
    expect([left?.slice, right?.slice]).toEqual([
      { from: 1, to: 20 },
      { from: 40, to: 91 },
    ])
    for (const kind of ['ends', 'blockEnds'] as const) {
      expect(left?.[kind]).toMatchObject({
        firstId: before?.[kind]?.firstId,
        firstParentId: before?.[kind]?.firstParentId,
        lastId: expect.any(String),
      })
      expect(right?.[kind]).toMatchObject({
        firstId: expect.any(String),
        firstParentId: expect.any(String),
        lastId: before?.[kind]?.lastId,
      })
    }
    // The catalog matches the remaining files.
    expect(await findingsOf(lake, true)).toEqual([])
    const { events } = await goOn(lake)
    expect(events.filter(({ kind }) => kind === 'committed')).toMatchObject([{ slice: { from: 20, to: 40 } }])
    expect(await rowSets(lake)).toEqual(rows())
    // The coverage is joined again and has the same ends as before.
    const ids = ({ slice, ends, blockEnds, rows }: NonNullable<typeof before>) => ({ slice, ends, blockEnds, rows })
    expect((await coverageOf(lake, 'p_blocks')).map(ids)).toEqual([ids(before!)])
    expect(await findingsOf(lake)).toEqual([])
  })

  test('stays during a dry run, which changes nothing', async () => {
    const lake = copied()
    const [path] = dataFiles(lake, (table) => table === 'p_transactions')
    damage(lake, path!, 'cut', { random: () => 0.5, other: '' })
    const catalog = () => readFileSync(join(lake, 'catalog.ducklake')).toString('hex')
    const before = catalog()
    const { code, stdout } = await chainlake(['repair', '--dry-run', '--lake', lake])
    expect(code).toBe(0)
    expect(stdout).toContain('A file of p_transactions is cut off.')
    expect(stdout).toMatch(/2 files with \d+ rows would be removed, 1 of them undamaged files of the same slices\./)
    expect(stdout).toMatch(/local\/P\/block +1 +[\d,]+ +(all )?[\d,]+ .*heights +p_transactions$/m)
    expect(catalog()).toBe(before)
  })

  test('is not found in a sound lake, and repair changes nothing', async () => {
    const { code, stdout } = await chainlake(['repair', '--lake', copied()])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Nothing is damaged.\n' })
  })
})

describe('a repair with --stream', () => {
  const repaired = async (args: readonly string[]) => {
    const lake = copied()
    const { code, stdout, stderr } = await chainlake(['repair', '--lake', lake, '--json', ...args])
    return { lake, code, stderr, said: code === 0 ? JSON.parse(stdout) : null }
  }

  test.each([
    [['--stream', 'Q/block'], 'The lake has no coverage of a stream Q/block.'],
    [['--from', '3'], '--from, --to and --tables need --stream'],
    [['--stream', 'P/block', '--from', '9', '--to', '3'], '--from 9 is not below --to 3'],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await repaired(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

test('repair removes nothing while a run is active', async () => {
  const lake = copied()
  const [path] = dataFiles(lake, (table) => table === 'p_blocks')
  damage(lake, path!, 'gone', { random: () => 0, other: '' })
  const catalog = await openCatalog({ folder: lake }, tables)
  const run = await catalog.startRun({ streams: [{ network: 'local', path: 'X/block', parameters: {} }], command: 't' })
  const before = await catalog.snapshotId()
  await expect(repair(lake)).rejects.toMatchObject({ name: 'LockedError' })
  expect(await catalog.snapshotId()).toBe(before)
  await run.end('done')
  expect((await repair(lake)).snapshotId).toBe(before + 1)
})

describe('after a repair that removes all files', () => {
  const text = async (command: string, lake: string) => (await chainlake([command, '--lake', lake])).stdout

  test('of one table, status and gaps still name it, and the next run fills it', async () => {
    const lake = copied()
    for (const path of dataFiles(lake, (table) => table === 'p_outputs'))
      damage(lake, path, 'gone', { random: () => 0, other: '' })
    await repair(lake)
    expect(await text('gaps', lake)).toMatch(/local\/P\/block +p_outputs +1 +91 +90 heights/)
    expect(await text('status', lake)).toContain('Problems:\n  local/P/block: 90 heights missing; ')
    const { stdout: detailed } = await chainlake(['status', 'local/P/block', '--lake', lake])
    expect(detailed).toMatch(/p_outputs +0 +0 +0 heights +1 +0 +0 B/)
    const { stdout } = await chainlake(['gaps', '--json', '--lake', lake])
    expect(JSON.parse(stdout)).toEqual([
      { stream: 'local/P/block', table: 'p_outputs', unit: 'heights', from: 1, to: 91 },
    ])
    expect((await chainlake(['gaps', '--check', '--lake', lake])).code).toBe(9)
    await goOn(lake)
    expect(await rowSets(lake)).toEqual(rows())
    expect(await chainlake(['gaps', '--check', '--lake', lake])).toMatchObject({ code: 0, stdout: 'No gaps.\n' })
  })

  test('of every table, gaps reports everything, and the next run fills it', async () => {
    const lake = copied()
    for (const path of dataFiles(lake)) damage(lake, path, 'gone', { random: () => 0, other: '' })
    await repair(lake)
    const missing = await text('gaps', lake)
    expect(missing.match(/local\/P\/block +\w+ +1 +91 +90 heights/g)).toHaveLength(6)
    expect(missing).toMatch(/local\/chains +chains +0 +1 +1 record/)
    await goOn(lake)
    expect(await rowSets(lake)).toEqual(rows())
  })
})

test('the path of a file contains its table', () => {
  expect(new Set(dataFiles(whole()).map(tableOf))).toContain('p_blocks')
})

test('a lake that lost its catalog and data files is restored with losses, and repair and a run complete it', async () => {
  const lake = copied()
  const backup = join(lake, 'backup')
  expect(await chainlake(['backup', backup, '--lake', lake])).toMatchObject({ code: 0 })
  const [path] = dataFiles(lake, (table) => table === 'p_outputs')
  damage(lake, path!, 'gone', { random: () => 0.5, other: '' })
  rmSync(join(lake, 'catalog.ducklake'))
  const refused = await chainlake(['restore', backup, '--lake', lake])
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('--with-losses') })
  const restored = await chainlake(['restore', backup, '--lake', lake, '--with-losses'])
  expect(restored.code, restored.stderr).toBe(0)
  expect(restored).toMatchObject({ stdout: expect.stringContaining(`chainlake repair --lake ${lake}`) })
  expect(restored.stdout).toContain(`${path} (gone)`)
  expect(await chainlake(['repair', '--lake', lake])).toMatchObject({ code: 0 })
  await goOn(lake)
  expect(await rowSets(lake)).toEqual(rows())
  expect(await findingsOf(lake)).toEqual([])
})
