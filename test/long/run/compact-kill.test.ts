import PQueue from 'p-queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { type Devnet, startDevnet } from '../../../src/devnet/serve.ts'
import { stepNames } from '../../../src/lib/step.ts'
import { compactLake } from '../../../src/run/compact-lake.ts'
import { exportLake } from '../../run/export-lake.ts'
import { command, newLake, rowSets, strayFiles } from '../../run/lake-run.ts'

const blocks = 160
const points = [
  'compact.before-read#1',
  'compact.before-read#3',
  'compact.after-write#1',
  'compact.after-write#3',
  'compact.before-begin#1',
  'compact.before-begin#3',
  'compact.after-files#1',
  'compact.after-files#3',
  'compact.after-commit#1',
  'compact.after-commit#3',
  'compact.after-close#1',
  'compact.after-close#3',
  ...stepNames.filter((name) => name.startsWith('write.')).map((name) => `${name}#2`),
  ...stepNames.filter((name) => name.startsWith('publish.') || name.startsWith('run.')),
]
const queue = new PQueue({ concurrency: 2 })

describe('a compaction that is killed at a named step', () => {
  let node: Devnet
  let rows: Record<string, string>
  const filled = async (): Promise<string> => {
    const lake = newLake()
    await exportLake({ node, lake, unit: 20, raw: true })
    return lake
  }
  const filesOf = async (lake: string) =>
    (await (await openCatalog(lake, tables)).files()).tables.map(({ name, files }) => [
      name,
      files.map(({ partition, rows }) => [partition, rows]).sort(),
    ])
  let files: Awaited<ReturnType<typeof filesOf>>

  beforeAll(async () => {
    node = await startDevnet({ seed: 7, blocks })
    const lake = await filled()
    rows = await rowSets(lake)
    await compactLake(lake, { stop: new AbortController().signal, emit: () => undefined })
    files = await filesOf(lake)
  })
  afterAll(() => node.close())

  test('in more than 20 places', () => {
    expect(points.length).toBeGreaterThan(20)
  })

  test.concurrent.each(points)('at %s loses nothing, and the next one does the rest', (point) =>
    queue.add(async () => {
      const lake = await filled()
      const { signal, stderr } = await command(['compact', '--lake', lake], { CHAINLAKE_DIE_AT: point })
      expect(signal, stderr).toBe('SIGKILL')
      expect(await rowSets(lake)).toEqual(rows)
      const { code, stderr: said } = await command(['compact', '--lake', lake])
      expect(code, said).toBe(0)
      expect(await rowSets(lake)).toEqual(rows)
      expect(await filesOf(lake)).toEqual(files)
      expect(await strayFiles(lake)).toEqual([])
    }),
  )

  test.concurrent.each(points.filter((name) => name.startsWith('compact.')))('at %s while a run goes on', (point) =>
    queue.add(async () => {
      const lake = newLake()
      const args = ['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--unit', '2', '--raw', '--compact']
      const { signal, stderr } = await command(args, { CHAINLAKE_DIE_AT: point })
      expect(signal, stderr).toBe('SIGKILL')
      expect((await command(args)).code).toBe(0)
      expect(await rowSets(lake)).toEqual(rows)
      expect(await strayFiles(lake)).toEqual([])
    }),
  )
})
