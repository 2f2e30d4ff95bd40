import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { createLake } from '../../src/catalog/catalog.ts'
import { appendWork } from '../../src/cli/jobs/record-work.ts'
import { packageRoot } from '../../src/lib/package-root.ts'
import type { WorkEntry } from '../../src/report/work-log.ts'
import { republishLake } from '../../src/run/lake-status.ts'

/** A folder that is gone after the tests of a file. */
export function reportFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-report-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const work: WorkEntry = {
  started: '2026-11-22T10:00:00.000Z',
  ended: '2026-11-22T10:01:00.000Z',
  commits: 3,
  commitSeconds: 0.5,
  publications: 1,
  publicationSeconds: 0.25,
  lag: 100,
  hosts: [{ host: 'http://127.0.0.1:9650', requests: 12, units: 30, retries: 2, refusals: 1, waitSeconds: 1.5 }],
}

/** A published lake without a run. */
export async function emptyLake(folder: string): Promise<string> {
  const lake = join(folder, 'empty')
  await createLake(lake, tables)
  await republishLake(lake)
  return lake
}

/** The lake of a release, with rows of most tables, published anew. */
export async function smallLake(folder: string): Promise<string> {
  const lake = join(folder, 'small')
  const packed = readFileSync(join(packageRoot(), 'test/fixtures/lakes/0.1.0.json.br'))
  const { files }: { files: Readonly<Record<string, string>> } = JSON.parse(brotliDecompressSync(packed).toString())
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(lake, path)), { recursive: true })
    writeFileSync(join(lake, path), Buffer.from(text, 'latin1'))
  }
  await republishLake(lake)
  for (const minute of [1, 3])
    await appendWork(lake, { ...work, ended: `2026-11-22T10:0${minute}:00.000Z` }, (error) => {
      throw error
    })
  return lake
}
