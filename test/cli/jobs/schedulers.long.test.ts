import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { pause } from '../../../src/lib/wait.ts'
import { newLake } from '../../run/lake-run.ts'
import { chainlake } from '../in-process.ts'

const schemaOf = (name: string) =>
  z.fromJSONSchema(JSON.parse(readFileSync(join(packageRoot(), `examples/${name}.schema.json`), 'utf8')))
const reportSchema = schemaOf('run-report')

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 11, blocks: 60 })
})
afterAll(() => node.close())

const run = (lake: string, ...args: string[]) =>
  chainlake(['run', ...args, '--node-url', node.url, '--lake', lake, '--json', '--log-level', 'error'])

describe('the changes of a run', () => {
  test('are written completely to the file of --on-done, and are empty if nothing is new', async () => {
    const lake = newLake()
    const file = join(dirname(lake), 'done.json')
    const first = await run(lake, 'p-blocks', '--on-done', file)
    expect(first.code).toBe(0)
    const changes = JSON.parse(readFileSync(file, 'utf8'))
    schemaOf('changes').parse(changes)
    expect(changes).toMatchObject({ lake, exitCode: 0 })
    const report = JSON.parse(first.stdout)
    expect(reportSchema.parse(report)).toMatchObject({ schema: 'chainlake.run.v1', busy: [], unfinished: [] })
    const written = report.jobs[0].tables.filter(({ rows }: { rows: number }) => rows > 0)
    for (const { name, rows, bytes } of written)
      expect(changes.tables).toContainEqual(expect.objectContaining({ table: name, rows, bytes }))
    // Each first run also writes the facts of the network.
    expect(changes.tables.length).toBe(written.length + 1)
    const blocks = changes.tables.find(({ table }: { table: string }) => table === 'p_blocks')
    expect(blocks.partitions[0].partition).toMatch(/^network=local\/month=\d{4}-\d\d$/)
    const sum = blocks.partitions.reduce((all: number, { rows }: { rows: number }) => all + rows, 0)
    expect(sum).toBe(blocks.rows)

    expect((await run(lake, 'p-blocks', '--on-done', file)).code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ snapshot: null, tables: [] })
    expect(readdirSync(dirname(lake)).filter((name) => name.includes('done.json'))).toEqual(['done.json'])
  })

  test('are written for a failed run too, and an invalid path is refused before the first request', async () => {
    const lake = newLake()
    const file = join(dirname(lake), 'done.json')
    const failed = await run(lake, 'p-blocks', '--network-id', '77', '--on-done', file)
    expect(failed.code).not.toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ exitCode: failed.code, snapshot: null })
    const nowhere = await run(lake, 'p-blocks', '--on-done', join(lake, 'no/such/folder/done.json'))
    expect(nowhere.code).toBe(2)
    expect(nowhere.stderr).toContain('--on-done does not name a writable file')
  })
})

describe('streams that another run holds', () => {
  const withTaken = async <T>(lake: string, use: (release: () => Promise<void>) => Promise<T>): Promise<T> => {
    const catalog = await openCatalog({ folder: lake }, tables)
    const stream = { network: 'local', path: 'P/block', parameters: {} }
    const other = await catalog.startRun({ streams: [stream], command: 'test' })
    const release = () => other.end('done')
    return use(release).finally(release)
  }

  test('skip their jobs with exit code 8, and the other jobs run', async () => {
    const lake = newLake()
    await run(lake, 'x-blocks', '--to', '10')
    await withTaken(lake, async () => {
      const { code, stdout, stderr } = await run(lake, 'p-blocks', 'x-blocks')
      expect(code).toBe(8)
      expect(reportSchema.parse(JSON.parse(stdout))).toMatchObject({
        jobs: [{ name: 'x-blocks', upToDate: false }],
        busy: [{ name: 'p-blocks', streams: ['local/P/block'] }],
      })
      expect(stderr).toContain('busy: other runs have streams of p-blocks; run again later, or run with --wait')
      expect((await run(lake, 'p-blocks')).code).toBe(8)
    })
    expect((await run(lake, 'p-blocks')).code).toBe(0)
  })

  test('are awaited with --wait, at most until the deadline', async () => {
    const lake = newLake()
    await run(lake, 'x-blocks', '--to', '10')
    await withTaken(lake, async (release) => {
      const late = await run(lake, 'p-blocks', '--wait', '--deadline', '2s')
      expect(late.code).toBe(7)
      expect(late.stderr).toContain('deadline: work is left for p-blocks')
      const waiting = run(lake, 'p-blocks', 'x-blocks', '--wait')
      await pause(1500)
      await release()
      const { code, stdout } = await waiting
      expect(code).toBe(0)
      const report = reportSchema.parse(JSON.parse(stdout)) as { jobs: { name: string }[] }
      expect(report.jobs.map(({ name }) => name)).toEqual(['x-blocks', 'p-blocks'])
    })
  })
})

test('with --follow --wait, free jobs run at once and the others once their streams are free', async () => {
  const lake = newLake()
  await run(lake, 'x-blocks', '--to', '10')
  const catalog = await openCatalog({ folder: lake }, tables)
  const streamOf = (path: string) => ({ network: 'local', path, parameters: {} })
  const endOf = async (path: string, table: string) =>
    (await catalog.coverage(streamOf(path), [table])).get(table)?.at(-1)?.slice.to ?? 0
  const other = await catalog.startRun({ streams: [streamOf('P/block')], command: 'test' })
  const jobs = ['p-blocks', 'x-blocks', 'c-blocks']
  const following = run(lake, ...jobs, '--follow', '--wait', '--max-lag', '1s', '--deadline', '30s')
  while ((await endOf('X/block', 'x_blocks')) <= 10) await pause(200)
  expect(await endOf('P/block', 'p_blocks')).toBe(0)
  await other.end('done')
  const { code, stdout } = await following
  // The deadline may come in the middle of a round.
  expect([0, 7]).toContain(code)
  const report = reportSchema.parse(JSON.parse(stdout)) as { jobs: { name: string }[]; busy: unknown[] }
  expect(report.jobs.map(({ name }) => name).sort()).toEqual([...jobs].sort())
  expect(report.busy).toEqual([])
  expect(await endOf('P/block', 'p_blocks')).toBe(61)
})

describe('a deadline', () => {
  test('ends a run in time with exit code 7 and complete units, and the next run resumes', async () => {
    const slow = await startDevnet({ seed: 11, blocks: 60, slowMs: 700 })
    try {
      slow.setFaults({ every: 1, kinds: ['slow'], pathPrefix: '/ext/index/' })
      const lake = newLake()
      const args = ['run', 'p-blocks', '--node-url', slow.url, '--lake', lake, '--json', '--log-level', 'error']
      const paced = [...args, '--unit', '8', '--concurrency', '1']
      const startedMs = performance.now()
      const late = await chainlake([...paced, '--deadline', '5s'])
      expect(performance.now() - startedMs).toBeLessThan(60_000)
      expect(late.code).toBe(7)
      const report = JSON.parse(late.stdout)
      expect(report).toMatchObject({ stopped: true, unfinished: ['p-blocks'], jobs: [{ interrupted: true }] })
      const [{ records }] = report.jobs
      slow.setFaults(null)
      const next = await chainlake([...args, '--deadline', '10m'])
      expect(next.code).toBe(0)
      expect(JSON.parse(next.stdout)).toMatchObject({ unfinished: [], jobs: [{ records: 60 - records }] })
    } finally {
      await slow.close()
    }
  })

  test('is refused if it is no duration', async () => {
    expect((await run(newLake(), 'p-blocks', '--deadline', 'soon')).code).toBe(2)
  })
})
