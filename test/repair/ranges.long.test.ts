import { describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { chainlake } from '../cli/in-process.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake, rowSets } from '../run/lake-run.ts'
import { damage, dataFiles } from './damage.ts'
import { rangeLake } from './range-lake.ts'

const { node, rows, copied, goOn, repair, coverageOf, findingsOf } = rangeLake()

describe('a repaired range', () => {
  test('is not filled from a chain that differs from the rest', async () => {
    const lake = copied()
    const [path] = dataFiles(lake, (table) => table === 'p_blocks').filter((file) => file.includes('20-'))
    damage(lake, path!, 'gone', { random: () => 0, other: '' })
    await repair(lake)
    const other = await startDevnet({ seed: 12, blocks: 90 })
    await expect(exportLake({ node: other, lake, raw: true, unit: 20 })).rejects.toMatchObject({
      code: 'catalog.other-source',
    })
    await other.close()
  })

  test('is filled again after damage to all files of all tables', async () => {
    const lake = copied()
    for (const path of dataFiles(lake, (table) => table !== 'chains'))
      damage(lake, path, 'footer', { random: () => 0, other: '' })
    await repair(lake)
    expect(Object.keys(await rowSets(lake)).length).toBeGreaterThan(0)
    await goOn(lake)
    expect(await rowSets(lake)).toEqual(rows())
    expect(await findingsOf(lake)).toEqual([])
  })

  test('is filled again in every slice of a damaged merged file', async () => {
    const lake = copied()
    expect((await chainlake(['compact', '--lake', lake])).code).toBe(0)
    expect(await rowSets(lake)).toEqual(rows())
    const visible = (await (await openCatalog({ folder: lake }, tables)).files()).tables.find(
      ({ name }) => name === 'p_outputs',
    )
    expect(visible?.files.length).toBeLessThan(4)
    damage(lake, visible!.files[0]!.path.replace(/^data\//, ''), 'byte', { random: () => 0.5, other: '' })
    const { plan } = await repair(lake)
    expect(plan.files.every(({ table }) => table.name === 'p_outputs')).toBe(true)
    expect(await findingsOf(lake, true)).toEqual([])
    await goOn(lake)
    expect(await rowSets(lake)).toEqual(rows())
    expect(await findingsOf(lake)).toEqual([])
  })
})

describe('a repair with --stream', () => {
  const repaired = async (args: readonly string[]) => {
    const lake = copied()
    const { code, stdout, stderr } = await chainlake(['repair', '--lake', lake, '--json', ...args])
    return { lake, code, stderr, said: code === 0 ? JSON.parse(stdout) : null }
  }

  test('removes whole units of a stream, and the next run reads them again', async () => {
    const { lake, said } = await repaired(['--stream', 'P/block', '--from', '5', '--to', '25'])
    // The repair removes whole slices, as they were committed.
    const cut = said.uncovered.filter(({ table }: { table: string }) => table === 'p_blocks')
    expect(cut.map(({ slice }: { slice: object }) => slice)).toContainEqual({ from: 20, to: 40 })
    expect((await coverageOf(lake, 'p_transactions')).map(({ slice }) => slice)).toEqual([{ from: 40, to: 91 }])
    expect(await findingsOf(lake, true)).toEqual([])
    await goOn(lake)
    expect(await rowSets(lake)).toEqual(rows())
  })

  test('removes only the chosen tables', async () => {
    const { lake } = await repaired(['--stream', 'local/P/block', '--tables', 'p_outputs'])
    expect(await coverageOf(lake, 'p_outputs')).toEqual([])
    expect(await coverageOf(lake, 'p_blocks')).toMatchObject([{ slice: { from: 1, to: 91 } }])
    await goOn(lake)
    expect(await rowSets(lake)).toEqual(rows())
  })

  test('lets the next run read blocks from the index that were first read by RPC', async () => {
    const [lake, byIndex] = [newLake(), newLake()]
    const where = ['--node-url', node().url, '--lake', lake]
    expect((await chainlake(['run', 'p-blocks', '--source', 'rpc', ...where])).code).toBe(0)
    await exportLake({ node: node(), lake: byIndex })
    expect(await rowSets(lake)).not.toEqual(await rowSets(byIndex))
    expect(
      (await chainlake(['repair', '--stream', 'P/block', '--from', '1', '--to', '1000', '--lake', lake])).code,
    ).toBe(0)
    await exportLake({ node: node(), lake })
    expect(await rowSets(lake)).toEqual(await rowSets(byIndex))
  })
})
