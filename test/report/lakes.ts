import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { balancesPipeline } from '../../pipelines/balances.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { tpsPipeline } from '../../pipelines/tps.ts'
import { walletTransfersPipeline } from '../../pipelines/wallet-transfers.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { tables } from '../../schemas/index.ts'
import { appendWork } from '../../src/report/work-log.ts'
import { republishLake } from '../../src/run/publish/publish-views.ts'
import { createLake } from '../catalog/lake.ts'
import { newLake } from '../run/lake-run.ts'
import { listOf, runService } from '../run/lists/devnet-jobs.ts'

/** A folder that is removed after the tests of a file. */
export function reportFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-report-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const work = {
  started: '2026-11-22T10:00:00.000Z',
  ended: '2026-11-22T10:01:00.000Z',
  commits: 3,
  commitSeconds: 0.5,
  publications: 1,
  publicationSeconds: 0.25,
  lag: 100,
  hosts: [{ host: 'http://127.0.0.1:9650', requests: 12, units: 30, retries: 2, refusals: 1, waitSeconds: 1.5 }],
}

/** A published lake without any run. */
export async function emptyLake(folder: string): Promise<string> {
  const lake = join(folder, 'empty')
  await createLake({ folder: lake }, tables)
  await republishLake({ folder: lake })
  return lake
}

let exported: Promise<string> | null = null

/** A lake of a network with 120 blocks: its chains and some lists of its service. */
async function exportSmall(): Promise<string> {
  const lake = newLake()
  const node = await startDevnet({ port: 0, blocks: 120 })
  try {
    const evm = { network: 'local', 'chain-id': '43112' }
    const wallets = (await listOf(node, 'evm')).slice(0, 3)
    const chains = [pBlocksPipeline, xBlocksPipeline, cBlocksPipeline].map((pipeline) => ({ pipeline, values: {} }))
    await runService(node, lake, [
      ...chains,
      { pipeline: restTransactionsPipeline, values: { network: 'local', blockchain: 'p-chain' } },
      { pipeline: walletTransfersPipeline, values: { ...evm, wallets } },
      { pipeline: balancesPipeline, values: { ...evm, wallets } },
      { pipeline: tpsPipeline, values: evm },
    ])
  } finally {
    await node.close()
  }
  return lake
}

/** A copy of a small lake, which is exported once per test file. */
export async function smallLake(folder: string): Promise<string> {
  const lake = join(folder, 'small')
  exported ??= exportSmall()
  cpSync(await exported, lake, { recursive: true })
  await republishLake({ folder: lake })
  for (const minute of [1, 3])
    await appendWork(lake, { ...work, ended: `2026-11-22T10:0${minute}:00.000Z` }, (error) => {
      throw error
    })
  return lake
}
