import { type FileHandle, open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileIdentity } from '../lib/file-identity.ts'
import { packageVersion } from '../lib/package-version.ts'
import type { LakeSnapshot } from '../model.ts'

const headerBytes = 16_384

/** What `lake.duckdb` and `views.sql` show. */
export type PublishedViews = LakeSnapshot & {
  /** The `lake.ducklake` that shows the same; see `fileIdentity`. */
  readonly catalogCopy: string
}

/** The comment that begins `views.sql`: by it the files are known to belong together without opening one. */
export type ViewsHeader = PublishedViews & {
  readonly lakeDir: string
  readonly version: string
  /** Which `lake.duckdb` was written with it. */
  readonly lakeFile: string
}

const headerMark = '-- chainlake: '

/** The header as the first line of `views.sql`. */
export function headerLine(header: ViewsHeader): string {
  return `${headerMark}${JSON.stringify(header)}`
}

/**
 * What `lake.duckdb` and `views.sql` show; null when they must be written anew: one is missing, they do not belong
 * together, the lake was moved, or another version of chainlake wrote them. Reads a few bytes only.
 */
export async function publishedViews(lakeDir: string): Promise<PublishedViews | null> {
  const header = await readHeader(join(lakeDir, 'views.sql'))
  if (header === null || header.lakeDir !== resolve(lakeDir) || header.version !== packageVersion()) return null
  const identity = await fileIdentity(join(lakeDir, 'lake.duckdb')).catch(() => null)
  return identity === header.lakeFile ? header : null
}

/** The folder that the paths in the views begin with: where the lake was when they were written. Null when nothing says it. */
export async function viewsFolder(lakeDir: string): Promise<string | null> {
  return (await readHeader(join(lakeDir, 'views.sql')))?.lakeDir ?? null
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
