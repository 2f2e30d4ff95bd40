import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmLogsPipeline } from '../../pipelines/evm-logs.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import { xVerticesPipeline } from '../../pipelines/x-vertices.ts'
import type { Job } from '../../src/run/job.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake } from '../run/lake-run.ts'

/** A lake with all chains of a simulated network: blocks with raw containers and senders, and blocks by RPC. */
export function soundLake({ blocks = 120, seed = 1 } = {}): Promise<string> {
  const unit = Math.ceil((blocks + 1) / 3)
  return exported({ blocks, seed }, [
    jobOf(pBlocksPipeline, { raw: true, unit }),
    jobOf(xBlocksPipeline, { unit }),
    jobOf(cBlocksPipeline, { raw: true, senders: true, unit }),
    jobOf(evmBlocksPipeline, { chain: 'C', unit: Math.ceil(blocks / 3) }),
  ])
}

/** A lake with the X-Chain from before it was linear. */
export function legacyLake({ blocks = 120 } = {}): Promise<string> {
  return exported({ blocks, legacy: true }, [jobOf(xTransactionsPipeline, { raw: true }), jobOf(xVerticesPipeline)])
}

/** A lake with logs that a filter read first, in a range that differs from that of the blocks. The blocks are then read without logs. */
export function filteredLogsLake({ blocks = 120 } = {}): Promise<string> {
  return exported({ blocks, seed: 21 }, [
    jobOf(evmLogsPipeline, { chain: 'C' }),
    jobOf(evmBlocksPipeline, { chain: 'C', from: 40 }),
  ])
}

async function exported(options: Parameters<typeof startDevnet>[0], jobs: readonly Job[]): Promise<string> {
  const lake = newLake()
  const node = await startDevnet({ port: 0, ...options })
  try {
    await exportLake({ node, lake, jobs })
  } finally {
    await node.close()
  }
  return lake
}

/** A copy of the lake that tests may damage. */
export function copyOf(lake: string): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'chainlake-test-')), 'lake')
  cpSync(lake, copy, { recursive: true })
  return copy
}

/** Writes the files of a packed lake to a folder. */
export function unpack(files: Readonly<Record<string, string>>, lake: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(lake, path)), { recursive: true })
    writeFileSync(join(lake, path), Buffer.from(text, 'latin1'))
  }
}
