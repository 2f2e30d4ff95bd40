import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { type Devnet, startDevnet } from '../../src/devnet/serve.ts'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { compactLake } from '../../src/run/upkeep/compact-lake.ts'
import { layoutOf } from './file-layout.ts'
import { command, newLake, rowSets, strayFiles } from './lake-run.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 12, blocks: 120 })
})
afterAll(() => node.close())

/** The tables of the example contain every kind of column: lists of structs, decimals of both widths, doubles, blobs, versions. */
test('compact changes no row of any kind of table', async () => {
  const lake = newLake()
  const run = ['run', '--all', '--config', join(packageRoot(), 'examples/devnet.yaml'), '--lake', lake]
  const environment = { DEVNET_URL: node.url, CHAINLAKE_NODE_URL: node.url, CHAINLAKE_LOG_LEVEL: 'error' }
  for (let round = 0; round < 2; round++) {
    const { code, stderr } = await command(run, environment)
    expect(code, stderr).toBe(0)
    await node.grow(40)
  }
  const catalog = await openCatalog({ folder: lake }, tables)
  const before = await catalog.files()
  const rows = await rowSets(lake)
  const summary = await compactLake({ folder: lake }, { stop: new AbortController().signal, emit: () => undefined })
  const { tables: after } = await catalog.files()
  const merged = summary.tables.map(({ name }) => name)
  expect(merged.length).toBeGreaterThan(15)
  const kinds = new Set(
    tables.flatMap((table) =>
      merged.includes(table.name)
        ? (Object.values(table.columns) as { type: { kind: string } }[]).map(({ type }) => type.kind)
        : [],
    ),
  )
  expect([...kinds].sort()).toEqual([
    'blob',
    'boolean',
    'decimal',
    'double',
    'int64',
    'list',
    'struct',
    'text',
    'timestamp',
  ])
  for (const { name, files } of after.filter(({ name }) => merged.includes(name))) {
    const old = before.tables.find((table) => table.name === name)?.files ?? []
    expect(files.length, name).toBeLessThan(old.length)
    for (const { path } of files) expect(layoutOf(lake, path), path).toEqual(layoutOf(lake, old[0]?.path ?? ''))
  }
  expect(await rowSets(lake)).toEqual(rows)
  expect(await strayFiles(lake)).toEqual([])
  const verified = await command(['verify', '--lake', lake])
  expect(verified.code, verified.stdout).toBe(0)
})
