import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { republishLake } from '../../src/run/publish/publish-views.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake } from '../run/lake-run.ts'
import { copyOf } from './sound-lake.ts'

let node: Devnet
let lake = ''
let other = ''
beforeAll(async () => {
  node = await startDevnet({ seed: 1, blocks: 40 })
  lake = newLake()
  other = newLake()
  for (const at of [lake, other]) await exportLake({ node, lake: at, to: 20 })
})
afterAll(() => node.close())

const verified = async (lakeDir: string) => {
  const { findings, remarks } = await verifyLake({ lake: { folder: lakeDir }, fast: true })
  return { found: findings.map(({ kind, file }) => `${kind} ${file}`), remarks: remarks.map(({ message }) => message) }
}
const sound = { found: [], remarks: [] }
const change = (path: string, changed: (bytes: Buffer) => Buffer) => {
  const bytes = changed(readFileSync(path))
  chmodSync(path, 0o644)
  writeFileSync(path, bytes)
}
const replace = (name: string) => {
  rmSync(join(lake, name))
  copyFileSync(join(other, name), join(lake, name))
}

const damages: readonly (readonly [name: string, damage: () => void, found: string])[] = [
  [
    'an emptied catalog',
    () => change(join(lake, 'lake.ducklake'), () => Buffer.alloc(0)),
    'published.damaged lake.ducklake',
  ],
  [
    'bytes of the catalog',
    () => change(join(lake, 'lake.ducklake'), (all) => all.fill(7, all.length / 2, all.length / 2 + 600_000)),
    'published.damaged lake.ducklake',
  ],
  ['a cut text', () => truncateSync(join(lake, 'views.sql'), 20_000), 'published.damaged views.sql'],
  ['an emptied text', () => truncateSync(join(lake, 'views.sql'), 0), 'published.damaged views.sql'],
  [
    'bytes of the text',
    () => change(join(lake, 'views.sql'), (all) => all.fill(0x20, 5000, 5010)),
    'published.damaged views.sql',
  ],
  [
    'bytes of the views',
    () => change(join(lake, 'lake.duckdb'), (all) => all.fill(7, 20_000, 20_010)),
    'published.damaged lake.duckdb',
  ],
  ['views that are gone', () => rmSync(join(lake, 'lake.duckdb')), 'published.gone lake.duckdb'],
  ['a text that is gone', () => rmSync(join(lake, 'views.sql')), 'published.gone views.sql'],
  ['a catalog that is gone', () => rmSync(join(lake, 'lake.ducklake')), 'published.gone lake.ducklake'],
  ['a text from another lake', () => replace('views.sql'), 'published.damaged views.sql'],
  ['views from another lake', () => replace('lake.duckdb'), 'published.damaged lake.duckdb'],
]

describe('a published file that is damaged, missing or from another lake', () => {
  test.each(damages)('is named by verify and written again by the next run: %s', async (_, damage, found) => {
    damage()
    expect(await verified(lake)).toEqual({ found: [found], remarks: [] })
    await exportLake({ node, lake, to: 20 })
    expect(await verified(lake)).toEqual(sound)
  })
})

test('the command views writes all published files again', async () => {
  const damaged = copyOf(lake)
  for (const name of ['lake.duckdb', 'lake.ducklake', 'views.sql'])
    change(join(damaged, name), (bytes) => bytes.subarray(0, 100))
  expect((await verified(damaged)).found).toContain('published.damaged lake.ducklake')
  await republishLake({ folder: damaged })
  expect(await verified(damaged)).toEqual(sound)
})

test('a moved lake, a lake without views and an interrupted publication are not reported as damaged', async () => {
  const moved = copyOf(lake)
  expect(await verified(moved)).toEqual(sound)
  rmSync(join(moved, 'lake.duckdb'))
  rmSync(join(moved, 'views.sql'))
  expect(await verified(moved)).toEqual({ found: [], remarks: [expect.stringContaining('has no views')] })

  const interrupted = copyOf(lake)
  const text = join(interrupted, 'views.sql')
  await republishLake({ folder: interrupted })
  copyFileSync(text, `${text}.before`)
  await exportLake({ node, lake: interrupted, to: 30 })
  renameSync(`${text}.before`, text)
  expect(await verified(interrupted)).toEqual({
    found: [],
    remarks: [expect.stringContaining('A publication was interrupted')],
  })
  await exportLake({ node, lake: interrupted, to: 30 })
  expect(await verified(interrupted)).toEqual(sound)
})
