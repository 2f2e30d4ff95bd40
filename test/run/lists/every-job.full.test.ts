import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../../devnet/serve.ts'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { compactLake } from '../../../src/run/upkeep/compact.ts'
import { columnsIn } from '../file-layout.ts'
import { command, newLake, rowSets, strayFiles } from '../lake-run.ts'
import { expectWhole, readSummary, type Summary } from './summary.ts'

const config = join(packageRoot(), 'examples/devnet.yaml')

/** Runs every job of the example on a network, as a reader of the documentation would. */
async function runAll(node: Devnet, lake: string): Promise<void> {
  const args = ['run', '--all', '--config', config, '--lake', lake, '--log-level', 'error']
  const { code, stderr } = await command(args, { DEVNET_URL: node.url })
  expect(code, stderr).toBe(0)
}

function emptyOf({ rows }: Summary): string[] {
  return Object.keys(rows).filter((name) => rows[name] === 0)
}

describe('every job of examples/devnet.yaml', () => {
  let node: Devnet
  const lake = newLake()
  beforeAll(async () => {
    node = await startDevnet({ seed: 5, blocks: 800 })
  })
  afterAll(() => node.close())

  test('fills every table except the vertex tables with the rows that the network has', async () => {
    await runAll(node, lake)
    const summary = await readSummary(node.url)
    expect(emptyOf(summary).filter((name) => !/^(x_vertices|rest_x_vertices)$/.test(name))).toEqual([])
    await expectWhole(lake, summary)
  }, 600_000)

  test('adds the new rows after the network has grown', async () => {
    await node.grow(150)
    await runAll(node, lake)
    await expectWhole(lake, await readSummary(node.url))
  }, 600_000)

  /** The tables of the example contain every kind of column: lists of structs, decimals of both widths, doubles, blobs, versions. */
  test('compact changes no row of any kind of table', async () => {
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
      for (const { path } of files) expect(columnsIn(lake, path), path).toEqual(columnsIn(lake, old[0]?.path ?? ''))
    }
    expect(await rowSets(lake)).toEqual(rows)
    expect(await strayFiles(lake)).toEqual([])
    const verified = await command(['verify', '--lake', lake])
    expect(verified.code, verified.stdout).toBe(0)
  }, 600_000)
})

test('tables are complete despite failed requests, expired page tokens and a pre-Cortina X-Chain, also after a rerun', async () => {
  const node = await startDevnet({ seed: 7, blocks: 400, legacy: true, slowMs: 20 })
  const lake = newLake()
  node.setFaults({
    every: 9,
    kinds: [...transientFaults, 'expired-token', 'restarted-token', 'short-page', 'empty-page', 'shifting-list'],
  })
  await runAll(node, lake)
  node.setFaults(null)
  const summary = await readSummary(node.url)
  // Such a young network has no L1s yet, and no messages about them.
  expect(emptyOf(summary)).toEqual(['node_l1_validators', 'rest_l1_validators', 'rest_signed_messages'])
  await expectWhole(lake, summary)
  await runAll(node, lake)
  await expectWhole(lake, summary)
  await node.close()
}, 600_000)
