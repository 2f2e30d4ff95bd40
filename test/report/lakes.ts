import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { createLake } from '../../src/catalog/catalog.ts'
import { packageRoot } from '../../src/lib/package-root.ts'
import { republishLake } from '../../src/run/lake-status.ts'

/** A folder that is gone after the tests of a file. */
export function reportFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-report-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
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
  return lake
}
