import { hash } from 'node:crypto'
import { constants, open, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { copyToNew, fileDigest, fileIdentity, setMode } from '../lib/files.ts'
import { packageVersion } from '../lib/package.ts'
import type { LakeSnapshot } from '../model.ts'

const headerBytes = 16_384

/**
 * The comment at the beginning of `views.sql`: the snapshot that it and `lake.duckdb` show, and whether the files belong together, without
 * opening `lake.duckdb`.
 */
type ViewsHeader = LakeSnapshot & {
  /** Identity of the `lake.ducklake` that shows the same snapshot; see `fileIdentity`. */
  readonly catalogCopy: string
  readonly lakeDir: string
  /** Where readers find the lake, if the user said so; null: in `lakeDir`, or where its store is. */
  readonly location: string | null
  readonly version: string
  /** Hash of the empty lake with which `lake.duckdb` began; see `emptyLakeHash`. */
  readonly base: string
  /** Identity of the `lake.duckdb` that was written with it; see `fileIdentity`. */
  readonly lakeFile: string
  /** SHA-256 of that file's bytes, and of the text that follows this line. */
  readonly lakeSha256: string
  readonly textSha256: string
}

const headerMark = '-- chainlake: '

/** The header as the first line of `views.sql`. */
export function headerLine(header: ViewsHeader): string {
  return `${headerMark}${JSON.stringify(header)}`
}

/**
 * The snapshot that `lake.duckdb` and `views.sql` show. Null when they must be written again: a file is missing, they do not belong
 * together, the text is incomplete, the lake was moved, or another version of chainlake wrote them. Reads the text, which is small, and no
 * byte of `lake.duckdb`.
 */
export async function publishedViews(lakeDir: string): Promise<ViewsHeader | null> {
  const header = await viewsHeader(lakeDir)
  if (header === null || header.lakeDir !== resolve(lakeDir) || header.version !== packageVersion()) return null
  if ((await publishedText(lakeDir))?.sha256 !== header.textSha256) return null
  const identity = await fileIdentity(join(lakeDir, 'lake.duckdb')).catch(() => null)
  return identity === header.lakeFile ? header : null
}

/** The header of `views.sql`; null where there is none. */
export async function viewsHeader(lakeDir: string): Promise<ViewsHeader | null> {
  const file = await open(join(lakeDir, 'views.sql'), 'r').catch(() => null)
  if (file === null) return null
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1)
    return line.startsWith(headerMark) ? (JSON.parse(line.slice(headerMark.length)) as ViewsHeader) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  } finally {
    await file.close()
  }
}

/** Where readers find the lake, as the user said it for the published views. Publications keep it, also after the lake was moved. */
export async function publishedLocation(lakeDir: string): Promise<string | null> {
  return (await viewsHeader(lakeDir))?.location ?? null
}

/** `views.sql` without its first line, and its SHA-256; null where the file cannot be read. */
export async function publishedText(
  lakeDir: string,
): Promise<{ readonly bytes: Buffer; readonly sha256: string } | null> {
  const file = await readFile(join(lakeDir, 'views.sql')).catch(() => null)
  if (file === null) return null
  const bytes = file.subarray(file.indexOf('\n') + 1)
  return { bytes, sha256: hash('sha256', bytes, 'hex') }
}

/**
 * Copies the published `lake.duckdb` to `path`, and returns the scripts of its views. Null where it cannot be continued: it was made for
 * another folder, began with another empty lake, or was altered.
 */
export async function copyPublished(
  path: string,
  { lakeDir, base }: { readonly lakeDir: string; readonly base: string },
): Promise<ReadonlySet<string> | null> {
  const header = await viewsHeader(lakeDir)
  if (header?.base !== base || header.lakeDir !== lakeDir) return null
  const text = await publishedText(lakeDir)
  if (text?.sha256 !== header.textSha256) return null
  try {
    await copyToNew(join(lakeDir, 'lake.duckdb'), path, constants.COPYFILE_EXCL)
    await setMode(path, 0o644)
    if ((await fileDigest(path)) === header.lakeSha256) return scriptsOf(text.bytes.toString('utf8'))
  } catch {
    // Building from nothing reports what is wrong, unless it helps.
  }
  await rm(path, { force: true })
  return null
}

/** A script that is not cut out as it was written is not found, and then runs once more. */
function scriptsOf(text: string): ReadonlySet<string> {
  return new Set(text.trimEnd().split(/\n(?=CREATE OR REPLACE VIEW )/))
}
