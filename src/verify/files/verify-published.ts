import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { readWhole } from '../../catalog/duckdb/read-whole.ts'
import { ChainlakeError } from '../../errors.ts'
import { fileDigest } from '../../lib/files/file-digest.ts'
import { textDigest, type ViewsHeader, viewsHeader } from '../../views/published-views.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked } from '../lake/lake-rows.ts'

/** Checks that the files that analysts open are intact and were published together. Other checks read their rows, which are in data files. */
export async function verifyPublished(
  lakeDir: string,
  catalog: Pick<Catalog, 'exclusively' | 'publishesCopy' | 'snapshot'>,
): Promise<Checked> {
  const { lakeId } = await catalog.snapshot()
  const names = ['lake.duckdb', 'views.sql', ...(catalog.publishesCopy ? ['lake.ducklake'] : [])]
  const found = await checkPublished(lakeDir, lakeId, names)
  if (found.findings.length === 0) return found
  try {
    // A publication renames its files one after another while it holds the catalog lock.
    return await catalog.exclusively(() => checkPublished(lakeDir, lakeId, names))
  } catch (error) {
    // This user may only read the lake, or another process holds the catalog lock: the first check remains valid.
    if (!(error instanceof ChainlakeError) || error.exitCode !== 5) throw error
    return found
  }
}

async function checkPublished(lakeDir: string, lakeId: string, names: readonly string[]): Promise<Checked> {
  const present = names.filter((name) => existsSync(join(lakeDir, name)))
  const gone = names.filter((name) => !present.includes(name)).map(goneFile)
  const copy = present.includes('lake.ducklake') ? await checkCopy(lakeDir) : []
  // The first publication was interrupted, or nothing is published on this machine.
  if (!present.includes('lake.duckdb') && !present.includes('views.sql'))
    return { findings: copy, remarks: [{ message: `${lakeDir} has no views. Run chainlake views to write them.` }] }
  const views = present.includes('views.sql') ? await checkViews(lakeDir, lakeId) : nothing
  return { findings: [...gone, ...copy, ...views.findings], remarks: views.remarks }
}

async function checkCopy(lakeDir: string): Promise<Finding[]> {
  try {
    await readWhole(join(lakeDir, 'lake.ducklake'))
    return []
  } catch (error) {
    return [damaged('lake.ducklake', reasonOf(error))]
  }
}

/** Checks the text of the views and, by its first line, the database of the views. */
async function checkViews(lakeDir: string, lakeId: string): Promise<Checked> {
  const header = await viewsHeader(lakeDir)
  if (header === null) return only(damaged('views.sql', 'its first line does not name a lake and a snapshot'))
  if (header.lakeId !== lakeId) return only(damaged('views.sql', `the lake ${header.lakeId}`))
  const text = await textDigest(lakeDir)
  if (text !== header.textSha256) return only(damaged('views.sql', `SHA-256 of its views: ${text ?? unread}`))
  return checkDatabase(join(lakeDir, 'lake.duckdb'), header)
}

/** An intact file of this lake that shows another snapshot than `views.sql` comes from a publication that was interrupted. */
async function checkDatabase(path: string, { lakeId, snapshotId, lakeSha256 }: ViewsHeader): Promise<Checked> {
  if (!existsSync(path)) return nothing
  const digest = await digestOf(path)
  if (digest === lakeSha256) return nothing
  try {
    const found = String(await readWhole(path, `SELECT lake_id || ' ' || snapshot_id FROM chainlake_lake`))
    if (!found.startsWith(`${lakeId} `)) return only(damaged('lake.duckdb', `the lake ${found.split(' ')[0]}`))
    if (found === `${lakeId} ${snapshotId}`) return only(damaged('lake.duckdb', `SHA-256: ${digest}`))
  } catch (error) {
    return only(damaged('lake.duckdb', reasonOf(error)))
  }
  const message =
    'A publication was interrupted: lake.duckdb and views.sql show different snapshots. The next run, or chainlake views, writes both again.'
  return { findings: [], remarks: [{ message }] }
}

const nothing: Checked = { findings: [], remarks: [] }

function only(finding: Finding): Checked {
  return { findings: [finding], remarks: [] }
}

const unread = 'it cannot be read'

/** The digest of a file, or a note that it cannot be read. */
function digestOf(path: string): Promise<string> {
  return fileDigest(path).catch(() => unread)
}

function goneFile(file: string): Finding {
  return { kind: 'published.gone', message: `${file} is missing.`, file }
}

function damaged(file: string, found: string): Finding {
  return {
    kind: 'published.damaged',
    message: `${file} is not the file that was last published: it is damaged, truncated, or from another lake.`,
    file,
    found,
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}
