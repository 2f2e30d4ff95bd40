import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { balancesPipeline } from '../../../pipelines/balances.ts'
import { cBlocksPipeline } from '../../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { tpsPipeline } from '../../../pipelines/tps.ts'
import { xVerticesPipeline } from '../../../pipelines/x-vertices.ts'
import { tables } from '../../../schemas/index.ts'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import { startDevnet } from '../../../src/devnet/serve.ts'
import { packageRoot } from '../../../src/lib/package-root.ts'
import type { Job } from '../../../src/run/job.ts'
import { republishLake } from '../../../src/run/lake-status.ts'
import { runPipelines } from '../../../src/run/run-pipelines.ts'
import { jobOf } from '../../run/job-of.ts'
import { newLake, query } from '../../run/lake-run.ts'
import { listOf, profileOf } from '../../run/service/devnet-jobs.ts'

/** What `test/fixtures/lakes/pack.mjs` wrote of a release's lake. */
type PackedLake = {
  readonly version: string
  readonly views: Readonly<Record<string, { columns: readonly string[]; rows: number; sum: string }>>
  readonly files: Readonly<Record<string, string>>
}

const folder = join(packageRoot(), 'test/fixtures/lakes')
const packed = readdirSync(folder)
  .filter((name) => name.endsWith('.json.br'))
  .map((name) => JSON.parse(brotliDecompressSync(readFileSync(join(folder, name))).toString()) as PackedLake)

/** Containers of each chain that the simulated network had when the lakes were written. */
const blocks = 120

describe.each(packed.map((lake) => [lake.version, lake] as const))('a lake of version %s', (_, { views, files }) => {
  const lake = newLake()

  test('opens, and its views show what they showed', async () => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(lake, path)), { recursive: true })
      writeFileSync(join(lake, path), Buffer.from(text, 'latin1'))
    }
    await republishLake(lake)
    for (const [name, { columns, rows, sum }] of Object.entries(views))
      expect({ name, ...(await summary(name, columns)) }).toEqual({ name, rows, sum })
  })

  test('grows with each kind of walk; what was there stays, and nothing is there twice', async () => {
    const node = await startDevnet({ port: 0, blocks: blocks + 10, legacy: true })
    try {
      const evm = { network: 'local', 'chain-id': '43112' }
      await runPipelines({
        nodeUrl: node.url,
        service: profileOf(node),
        lakeDir: lake,
        jobs: [
          jobOf(pBlocksPipeline, { raw: true }),
          jobOf(cBlocksPipeline),
          jobOf(xVerticesPipeline),
          service(restTransactionsPipeline, { network: 'local', blockchain: 'p-chain' }),
          service(tpsPipeline, evm),
          service(balancesPipeline, { ...evm, wallets: (await listOf(node, 'evm')).slice(0, 3) }),
        ],
        stop: new AbortController().signal,
        emit: () => undefined,
      })
    } finally {
      await node.close()
    }
    // Files of before have no hashes.
    const catalog = await openCatalog(lake, tables)
    const facts = await catalog.fileFacts()
    const visible = (await catalog.files()).tables.flatMap((table) => table.files.map(({ path }) => path))
    const added = visible.filter((path) => !(path in files)).sort()
    expect(added.length).toBeGreaterThan(5)
    expect(facts.map(({ path }) => path).sort()).toEqual(added)
    for (const { path, sha256 } of facts) {
      expect({ path, sha256 }).toEqual({ path, sha256: hash('sha256', readFileSync(join(lake, path))) })
    }
    for (const name of ['p_blocks', 'containers', 'c_blocks', 'x_vertices'])
      expect({ name, rows: (await query(lake, `select count(*)::int as n from ${name}`))[0]!['n'] }).toEqual({
        name,
        rows: blocks + 10,
      })
    const { columns, rows, sum } = views['p_blocks']!
    expect(await summary('p_blocks', columns, `WHERE height <= ${blocks}`)).toEqual({ rows, sum })
    for (const { name, key } of tables)
      expect(await query(lake, `select ${key.join(', ')} from ${name} group by all having count(*) > 1`)).toEqual([])
  })

  async function summary(name: string, columns: readonly string[], condition = '') {
    const texts = `md5_number_lower(row(${columns.map((column) => `"${column}"`).join(', ')})::VARCHAR)::HUGEINT`
    const [row] = await query(
      lake,
      `SELECT count(*)::INT AS rows, coalesce(sum(${texts}), 0)::VARCHAR AS sum FROM "${name}" ${condition}`,
    )
    return row
  }
})

function service(
  pipeline: typeof tpsPipeline | typeof balancesPipeline | typeof restTransactionsPipeline,
  values: object,
) {
  return { kind: 'service', name: pipeline.name, pipeline, values: { ...values } } as Job
}
