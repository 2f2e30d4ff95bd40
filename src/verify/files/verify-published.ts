import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Catalog, postgresOf } from '../../catalog/catalog.ts'
import { readWhole } from '../../catalog/duckdb/read-whole.ts'
import { ChainlakeError } from '../../errors.ts'
import { fileDigest } from '../../lib/files/file-digest.ts'
import { textDigest, type ViewsHeader, viewsHeader } from '../../views/published-views.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked } from '../lake/lake-rows.ts'

/** The files that analysts open are whole, and were published together. Their rows are those of the data files, which other checks read. */
export async function verifyPublished(
  lakeDir: string,
  catalog: Pick<Catalog, 'exclusively' | 'snapshot'>,
): Promise<Checked> {
  const { lakeId } = await catalog.snapshot()
  const found = await checkPublished(lakeDir, lakeId)
  if (found.findings.length === 0) return found
  try {
    // A publication renames its files one after another, and holds the catalog while it does.
    return await catalog.exclusively(() => checkPublished(lakeDir, lakeId))
  } catch (error) {
    // This user may only read the lake, or another process holds the catalog: the first look stands.
    if (!(error instanceof ChainlakeError) || error.exitCode !== 5) throw error
    return found
  }
}

async function checkPublished(lakeDir: string, lakeId: string): Promise<Checked> {
  const names = ['lake.duckdb', 'views.sql', ...(postgresOf(lakeDir) === null ? ['lake.ducklake'] : [])]
  const present = names.filter((name) => existsSync(join(lakeDir, name)))
  const gone = names.filter((name) => !present.includes(name)).map(goneFile)
  const copy = present.includes('lake.ducklake') ? await checkCopy(lakeDir) : []
  // The first publication was interrupted, or nothing is published on this machine.
  if (!present.includes('lake.duckdb') && !present.includes('views.sql'))
    return { findings: copy, remarks: [{ message: `${lakeDir} has no views: chainlake views writes them.` }] }
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

/** The text of the views and, by its first line, their file. */
async function checkViews(lakeDir: string, lakeId: string): Promise<Checked> {
  const header = await viewsHeader(lakeDir)
  if (header === null) return only(damaged('views.sql', 'its first line does not say what it shows'))
  if (header.lakeId !== lakeId) return only(damaged('views.sql', `the lake ${header.lakeId}`))
  const text = await textDigest(lakeDir)
  if (text !== header.textSha256) return only(damaged('views.sql', `SHA-256 of its views: ${text ?? unread}`))
  return checkDatabase(join(lakeDir, 'lake.duckdb'), header)
}

/** A whole file of this lake that shows another snapshot than its text was put in place by a publication that was interrupted. */
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
    'A publication was interrupted: lake.duckdb and views.sql do not belong together. The next run, or chainlake views, writes both again.'
  return { findings: [], remarks: [{ message }] }
}

const nothing: Checked = { findings: [], remarks: [] }

function only(finding: Finding): Checked {
  return { findings: [finding], remarks: [] }
}

const unread = 'it cannot be read'

/** As `fileDigest`; a file that cannot be read has none. */
function digestOf(path: string): Promise<string> {
  return fileDigest(path).catch(() => unread)
}

function goneFile(file: string): Finding {
  return { kind: 'published.gone', message: `${file} is not there.`, file }
}

function damaged(file: string, found: string): Finding {
  return {
    kind: 'published.damaged',
    message: `${file} is not the file that was published last: it is damaged, cut off, or from another lake.`,
    file,
    found,
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}
