import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { lakeRows } from '../run/lake-rows.ts'
import { newLake } from '../run/lake-run.ts'
import { filesOf, rewriteFile } from '../verify/rewrite-file.ts'
import { copyOf } from '../verify/sound-lake.ts'

let node: Devnet
const lake = newLake()
const byHeight = newLake()
const requested = { credentials: true, signers: true, unit: 150, to: 400 }

beforeAll(async () => {
  node = await startDevnet({ replay: recordingFolder('granite') })
  const jobs = [pBlocksPipeline, xBlocksPipeline, cBlocksPipeline].map((pipeline) =>
    jobOf(pipeline, { ...requested, raw: true }),
  )
  await exportLake({ node, lake, threads: 2, jobs })
  await exportLake({ node, lake: byHeight, jobs: [jobOf(xBlocksPipeline, { ...requested, source: 'rpc' })] })
})
afterAll(() => node.close())

test('P- and X-Chain transactions have as many signatures as they count, all by owners of the spent outputs', async () => {
  for (const chain of ['p', 'x']) {
    const [counted] = await lakeRows(
      lake,
      `SELECT (SELECT count(*) FROM ${chain}_credentials) AS rows, (SELECT sum(signature_count)::BIGINT FROM ${chain}_transactions) AS said`,
    )
    expect(counted!['rows']).toBe(counted!['said'])
    const [owned] = await lakeRows(
      lake,
      `SELECT count(*) AS n, count(*) FILTER (list_contains(made.addresses, signed.address)) AS own
       FROM ${chain}_credentials AS signed
       JOIN ${chain}_inputs AS spent ON spent.tx_id = signed.tx_id AND spent.input_index = signed.credential_index
       JOIN ${chain}_outputs AS made ON made.tx_id = spent.source_tx_id AND made.output_index = spent.source_output_index`,
    )
    expect(owned!['n']).toBeGreaterThan(20)
    expect(owned!['own']).toBe(owned!['n'])
  }
})

test('atomic transactions have as many signatures as they count, and owners of the spent outputs sign imports', async () => {
  const [counted] = await lakeRows(
    lake,
    `SELECT (SELECT count(*) FROM c_credentials) AS rows, (SELECT sum(signature_count)::BIGINT FROM c_atomic_transactions) AS said`,
  )
  expect(counted!['rows']).toBe(counted!['said'])
  const [owned] = await lakeRows(
    lake,
    `SELECT count(*) AS n, count(*) FILTER (list_contains(made.addresses, signed.address)) AS own
     FROM c_credentials AS signed
     JOIN c_atomic_inputs AS spent USING (network, block_number, tx_index)
     JOIN (SELECT tx_id, output_index, addresses FROM p_outputs UNION ALL SELECT tx_id, output_index, addresses FROM x_outputs) AS made
       ON made.tx_id = spent.source_tx_id AND made.output_index = spent.source_output_index
     WHERE spent.input_index = signed.credential_index`,
  )
  expect(owned!['n']).toBeGreaterThan(5)
  expect(owned!['own']).toBe(owned!['n'])
})

test('an export by height has the same signatures as an export from the index', async () => {
  const rows = (of: string) =>
    lakeRows(of, 'SELECT * FROM x_credentials ORDER BY tx_id, credential_index, signature_index')
  expect(await rows(byHeight)).toEqual(await rows(lake))
})

test('a job with signers but without credentials is refused', async () => {
  const job = jobOf(pBlocksPipeline, { signers: true })
  await expect(exportLake({ node, lake: newLake(), jobs: [job] })).rejects.toThrow(
    'signers needs credentials, which is not set',
  )
})

test('verify recovers the signatures from raw containers and reports changed ones', async () => {
  expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
  for (const [table, column, value] of [
    ['p_credentials', 'address', 'local1nobody'],
    ['x_credentials', 'signature_index', 7n],
    ['c_credentials', 'public_key', '0x00'],
  ] as const) {
    const damaged = copyOf(lake)
    const [path = ''] = await filesOf(damaged, table)
    await rewriteFile(damaged, path, (rows) => rows.map((row, at) => (at === 0 ? { ...row, [column]: value } : row)))
    const { findings } = await verifyLake({ lake: { folder: damaged } })
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'rows.raw', table }))
  }
})
