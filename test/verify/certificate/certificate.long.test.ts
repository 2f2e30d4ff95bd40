import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../../pipelines/x-blocks.ts'
import { readCertificate } from '../../../src/verify/certificate.ts'
import { chainlake } from '../../cli/in-process.ts'
import { exportLake } from '../../run/export-lake.ts'
import { jobOf } from '../../run/job-of.ts'
import { newLake } from '../../run/lake-run.ts'
import { filesOf, rewriteFile } from '../rewrite-file.ts'
import { copyOf } from '../sound-lake.ts'

/**
 * The same chains with blocks before and after Banff: from the index in large units, by RPC in small units, and one lake that ends earlier.
 */
const lakes = { index: newLake(), rpc: newLake(), shorter: newLake() }
const file = join(newLake(), '../certificate.json')

beforeAll(async () => {
  const node = await startDevnet({ port: 0, blocks: 160 })
  const jobs = (values: object) => [jobOf(pBlocksPipeline, { ...values }), jobOf(xBlocksPipeline, { ...values })]
  try {
    await exportLake({ node, lake: lakes.index, jobs: jobs({}) })
    await exportLake({ node, lake: lakes.rpc, jobs: jobs({ source: 'rpc', unit: 25 }) })
    await exportLake({ node, lake: lakes.shorter, jobs: jobs({ to: 50 }) })
  } finally {
    await node.close()
  }
})

test('a certificate contains ranges, ids and hashes, and matches any lake of the same chains', async () => {
  const written = await chainlake(['verify', '--lake', lakes.index, '--certificate', file])
  expect(written).toMatchObject({ code: 0 })
  const { streams, tables } = await readCertificate(file)
  expect(streams.map(({ stream, from, to, count }) => [stream, from, to, count])).toEqual([
    ['local/P/block', 1, 160, 160],
    ['local/X/block', 1, 160, 160],
  ])
  expect(tables.map(({ table }) => table)).toContain('p_outputs')
  // Blocks by RPC have no wrapper, and are in other files in a different order.
  expect(await chainlake(['verify', '--lake', lakes.rpc, '--against', file])).toMatchObject({ code: 0 })
})

test('a comparison names a shorter chain and an altered row, and refuses a truncated certificate', async () => {
  const shorter = await chainlake(['verify', '--lake', lakes.shorter, '--against', file, '--json'])
  expect(shorter.code).toBe(6)
  expect(JSON.parse(shorter.stdout).findings).toContainEqual(
    expect.objectContaining({ kind: 'certificate.different', stream: 'local/P/block', table: 'p_blocks' }),
  )
  const lake = copyOf(lakes.rpc)
  const [path = ''] = await filesOf(lake, 'p_outputs')
  await rewriteFile(lake, path, ([first, ...others]) => [{ ...first, threshold: 7n }, ...others])
  const altered = await chainlake(['verify', '--lake', lake, '--against', file, '--json'])
  const { findings } = JSON.parse(altered.stdout)
  expect(findings).toMatchObject([{ kind: 'certificate.different', table: 'p_outputs' }])
  writeFileSync(`${file}.cut`, readFileSync(file).subarray(0, 300))
  expect(await chainlake(['verify', '--lake', lake, '--against', `${file}.cut`])).toMatchObject({ code: 2 })
})

test('verify writes no certificate of a damaged lake', async () => {
  const lake = copyOf(lakes.index)
  const [path = ''] = await filesOf(lake, 'p_blocks')
  await rewriteFile(lake, path, (rows) => rows.slice(0, -1))
  const told = await chainlake(['verify', '--lake', lake, '--certificate', `${file}.none`])
  expect(told).toMatchObject({ code: 6, stdout: expect.stringContaining('No certificate was written') })
  await expect(readCertificate(`${file}.none`)).rejects.toThrow()
})
