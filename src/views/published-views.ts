import { hash } from 'node:crypto'
import { constants, type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileDigest } from '../lib/files/file-digest.ts'
import { fileIdentity } from '../lib/files/file-identity.ts'
import { copyToNew, setMode } from '../lib/files/file-mode.ts'
import { packageVersion } from '../lib/files/package-version.ts'
import type { LakeSnapshot } from '../model.ts'

const headerBytes = 16_384

/** The snapshot that `lake.duckdb` and `views.sql` show. */
type PublishedViews = LakeSnapshot & {
  /** Identity of the `lake.ducklake` that shows the same snapshot; see `fileIdentity`. */
  readonly catalogCopy: string
}

/** The comment at the beginning of `views.sql`. It shows whether the files belong together without opening `lake.duckdb`. */
export type ViewsHeader = PublishedViews & {
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
export async function publishedViews(lakeDir: string): Promise<PublishedViews | null> {
  const header = await viewsHeader(lakeDir)
  if (header === null || header.lakeDir !== resolve(lakeDir) || header.version !== packageVersion()) return null
  if ((await textDigest(lakeDir)) !== header.textSha256) return null
  const identity = await fileIdentity(join(lakeDir, 'lake.duckdb')).catch(() => null)
  return identity === header.lakeFile ? header : null
}

/** The header of `views.sql`; null where there is none. */
export function viewsHeader(lakeDir: string): Promise<ViewsHeader | null> {
  return readHeader(join(lakeDir, 'views.sql'))
}

/** Where readers find the lake, as the user said it for the published views. Publications keep it, also after the lake was moved. */
export async function publishedLocation(lakeDir: string): Promise<string | null> {
  return (await viewsHeader(lakeDir))?.location ?? null
}

/** SHA-256 of `views.sql` without its first line; null where the file cannot be read. */
export async function textDigest(lakeDir: string): Promise<string | null> {
  const bytes = await textBytes(lakeDir)
  return bytes === null ? null : digestOf(bytes)
}

async function textBytes(lakeDir: string): Promise<Buffer | null> {
  const bytes = await readFile(join(lakeDir, 'views.sql')).catch(() => null)
  return bytes?.subarray(bytes.indexOf('\n') + 1) ?? null
}

function digestOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex')
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
  const text = await publishedText(lakeDir, header)
  if (text === null) return null
  try {
    await copyToNew(join(lakeDir, 'lake.duckdb'), path, constants.COPYFILE_EXCL)
    await setMode(path, 0o644)
    if ((await fileDigest(path)) === header.lakeSha256) return scriptsOf(text)
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

/** The text of `views.sql` after its header; null where it is not the one that was written with the header. */
async function publishedText(lakeDir: string, { textSha256 }: ViewsHeader): Promise<string | null> {
  const bytes = await textBytes(lakeDir)
  return bytes !== null && digestOf(bytes) === textSha256 ? bytes.toString('utf8') : null
}

/**
 * The folder of the lake when the views were written. Their paths begin with it, unless readers find the lake elsewhere. Null where
 * `views.sql` has no header.
 */
export async function viewsFolder(lakeDir: string): Promise<string | null> {
  return (await viewsHeader(lakeDir))?.lakeDir ?? null
}

async function readHeader(path: string): Promise<ViewsHeader | null> {
  const file = await open(path, 'r').catch(() => null)
  if (file === null) return null
  try {
    return parseHeader(await firstLine(file))
  } finally {
    await file.close()
  }
}

async function firstLine(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
  return buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? ''
}

function parseHeader(line: string): ViewsHeader | null {
  if (!line.startsWith(headerMark)) return null
  try {
    return JSON.parse(line.slice(headerMark.length)) as ViewsHeader
  } catch {
    return null
  }
}
