import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { cBlocksPipeline } from '../../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { evmTracesPipeline } from '../../../pipelines/evm-traces.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../../pipelines/x-blocks.ts'
import { chainlake } from '../../cli/in-process.ts'
import { exportLake } from '../../run/export-lake.ts'
import { jobOf } from '../../run/job-of.ts'
import { newLake } from '../../run/lake-run.ts'
import { filesOf, rewriteFile } from '../rewrite-file.ts'
import { copyOf } from '../sound-lake.ts'

const lake = newLake()
const file = join(lake, '../certificate.json')
/** Files of p_outputs before the lake grew, and after. */
const outputs: { before: readonly string[]; after: readonly string[] } = { before: [], after: [] }

beforeAll(async () => {
  const node = await startDevnet({ port: 0, blocks: 120 })
  const run = (values: Readonly<Record<string, unknown>>) =>
    exportLake({
      node,
      lake,
      jobs: [
        jobOf(pBlocksPipeline, { raw: true, ...values }),
        jobOf(xBlocksPipeline, values),
        jobOf(cBlocksPipeline, values),
        jobOf(evmBlocksPipeline, { chain: 'C', ...values }),
      ],
    })
  try {
    await run({ unit: 40 })
    expect(await chainlake(['verify', '--lake', lake, '--certificate', file])).toMatchObject({ code: 0 })
    outputs.before = await filesOf(lake, 'p_outputs')
    await node.grow(30)
    await run({ unit: 40 })
    // A stream of its own about blocks of which the certificate names the other tables.
    await exportLake({ node, lake, jobs: [jobOf(evmTracesPipeline, { chain: 'C', to: 60 })] })
    outputs.after = (await filesOf(lake, 'p_outputs')).filter((path) => !outputs.before.includes(path))
  } finally {
    await node.close()
  }
})

async function verified(of: string, ...more: string[]) {
  const { code, stdout } = await chainlake(['verify', '--lake', of, '--since', file, '--json', ...more])
  return { code, report: JSON.parse(stdout) }
}

test('verify --since reads what is new, and says how much it did not read', async () => {
  const { code, report } = await verified(lake)
  expect(code).toBe(0)
  expect(report).toMatchObject({ mode: 'since', findings: [] })
  const whole = JSON.parse((await chainlake(['verify', '--lake', lake, '--json'])).stdout)
  expect(report.checked.files).toBeGreaterThan(0)
  expect(report.checked.files + report.known.files).toBe(whole.checked.files)
  expect(report.known.rows).toBeGreaterThan(report.checked.rows)
  const text = await chainlake(['verify', '--lake', lake, '--since', file])
  expect(text.stdout).toContain(`new since the certificate ${file}`)
  expect(text.stdout).toContain('without --since, every byte and row is')
})

test('it finds an altered row of a new file', async () => {
  const altered = async (path: string) => {
    const copy = copyOf(lake)
    await rewriteFile(copy, path, ([first, ...others]) => [{ ...first, threshold: 7n }, ...others])
    return copy
  }
  const recent = await verified(await altered(outputs.after[0] ?? ''))
  expect(recent.code).toBe(6)
  expect(recent.report.findings).toContainEqual(expect.objectContaining({ table: 'p_outputs' }))
})

test('it finds a known file that is gone or cut off', async () => {
  const copy = copyOf(lake)
  const { truncateSync } = await import('node:fs')
  truncateSync(join(copy, outputs.before[0] ?? ''), 100)
  const { code, report } = await verified(copy)
  expect(code).toBe(6)
  expect(report.findings).toContainEqual(expect.objectContaining({ kind: 'file.size', file: outputs.before[0] }))
})

test('merged files are new', async () => {
  const copy = copyOf(lake)
  expect(await chainlake(['compact', '--lake', copy])).toMatchObject({ code: 0 })
  const { code, report } = await verified(copy)
  expect(code).toBe(0)
  expect(report.checked.rows).toBeGreaterThan(report.known.rows)
})

test('a certificate of what is new covers the whole lake', async () => {
  const next = `${file}.next`
  expect((await verified(lake, '--certificate', next)).code).toBe(0)
  expect(await chainlake(['verify', '--lake', lake, '--against', next])).toMatchObject({ code: 0 })
  const { stdout } = await chainlake(['verify', '--lake', lake, '--since', next, '--json'])
  expect(JSON.parse(stdout).checked.rows).toBeLessThan(100)
})

test('flags that contradict each other are refused', async () => {
  for (const flags of [
    ['--since', file, '--fast'],
    ['--since', file, '--against', file],
    ['--certificate', `${file}.fast`, '--fast'],
  ])
    expect(await chainlake(['verify', '--lake', lake, ...flags])).toMatchObject({ code: 2 })
})
