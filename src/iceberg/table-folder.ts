import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CatalogError } from '../errors.ts'
import { syncFolder } from '../lib/files/sync-folder.ts'
import { reachStep } from '../lib/step.ts'
import type { TableMetadata } from './metadata.ts'

/**
 * The folder `metadata` of a table, with the file names of Hadoop tables: `v3.metadata.json`, and `version-hint.text`, which contains 3.
 */
export type TableFolder = {
  /** Absolute path. */
  readonly path: string
  /** The name of its table in messages. */
  readonly table: string
}

export type Version = { readonly version: number; readonly metadata: TableMetadata }

const hintName = 'version-hint.text'
/** This file exists from before the first file of a publication until its metadata are in place. */
const draftName = '.draft.metadata.json'

export function metadataName(version: number): string {
  return `v${version}.metadata.json`
}

/**
 * The latest metadata. Readers continue from the version in the hint to the last file without a gap, so they see the highest version.
 *
 * @throws CatalogError `iceberg.unreadable`
 */
export async function readCurrent(folder: TableFolder): Promise<Version | null> {
  const version = Math.max(0, ...(await versions(folder)))
  return version === 0 ? null : { version, metadata: await readVersion(folder, version) }
}

export async function versions(folder: TableFolder): Promise<number[]> {
  return (await names(folder)).flatMap((name) => {
    const [, version] = /^v(\d+)\.metadata\.json$/.exec(name) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

export async function readVersion(folder: TableFolder, version: number): Promise<TableMetadata> {
  const name = metadataName(version)
  const text = await readFile(join(folder.path, name), 'utf8')
  try {
    return JSON.parse(text) as TableMetadata
  } catch (cause) {
    throw unreadable(folder, name, cause)
  }
}

/** Reads a file that metadata of the table name, by its URI or path. Throws the errors of `readCurrent`. */
export async function readNamed(folder: TableFolder, uri: string): Promise<Buffer> {
  const name = nameOf(uri)
  return readFile(join(folder.path, name)).catch((cause) => {
    throw cause.code === 'ENOENT' ? unreadable(folder, name, cause) : cause
  })
}

/** The last part of a URI or path. */
export function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

/** The error for metadata that cannot be read. */
export function unreadable(folder: TableFolder, name: string, cause: unknown): CatalogError {
  return new CatalogError(`The Iceberg metadata of ${folder.table} cannot be read.`, {
    code: 'iceberg.unreadable',
    details: {
      folder: folder.path,
      file: name,
      reason: cause instanceof Error ? cause.message : String(cause),
    },
    hint: 'Remove the folder and publish again. The data files are elsewhere; only earlier Iceberg snapshots of the table are lost.',
    cause,
  })
}

/** Creates the folder, and marks in it that a publication is under way. Returns whether an earlier publication died here. */
export async function beginDraft(folder: TableFolder): Promise<boolean> {
  const made = await mkdir(folder.path, { recursive: true })
  if (made !== undefined)
    for (let at = folder.path; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at))
  const wasLeft = (await names(folder)).includes(draftName)
  await writeFile(folder, draftName, '', 'w')
  return wasLeft
}

/** Writes a new file that no metadata name yet. */
export async function writeUnnamed(folder: TableFolder, name: string, bytes: Buffer): Promise<void> {
  await writeFile(folder, name, bytes, 'wx')
}

/** Writes metadata that no reader sees before `revealDraft`. */
export async function writeDraft(folder: TableFolder, metadata: TableMetadata): Promise<void> {
  await writeFile(folder, draftName, `${JSON.stringify(metadata, null, 1)}\n`, 'w')
  await syncFolder(folder.path)
}

/** Makes the draft visible as this version, in one step. */
export async function revealDraft(folder: TableFolder, version: number): Promise<void> {
  reachStep('iceberg.before-reveal')
  await rename(join(folder.path, draftName), join(folder.path, metadataName(version)))
  await syncFolder(folder.path)
  reachStep('iceberg.after-reveal')
  await hint(folder, version)
}

/** Writes this version to the hint. */
export async function hint(folder: TableFolder, version: number): Promise<void> {
  const said = await readFile(join(folder.path, hintName), 'utf8').catch(() => null)
  if (said === String(version)) return
  await replaceFile(folder.path, hintName, String(version))
  reachStep('iceberg.after-hint')
}

/** Replaces a file in one step, durably. */
export async function replaceFile(path: string, name: string, text: string): Promise<void> {
  const draft = `.draft.${name}`
  await writeFile({ path }, draft, text, 'w')
  await rename(join(path, draft), join(path, name))
  await syncFolder(path)
}

/** The time at which the metadata of a version were written, in milliseconds since 1970. */
export async function writtenAt(folder: TableFolder, version: number): Promise<number> {
  return (await stat(join(folder.path, metadataName(version)))).mtimeMs
}

/** Removes all files except those with these names, the hint and the draft. Returns the number of removed files. */
export async function keepOnly(folder: TableFolder, named: ReadonlySet<string>): Promise<number> {
  const gone = (await names(folder)).filter((name) => !named.has(name) && name !== hintName && name !== draftName)
  for (const name of gone) await rm(join(folder.path, name), { force: true })
  return gone.length
}

async function names({ path }: TableFolder): Promise<string[]> {
  return readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

async function writeFile(
  { path }: { readonly path: string },
  name: string,
  bytes: Buffer | string,
  flags: 'w' | 'wx',
): Promise<void> {
  const file = await open(join(path, name), flags, 0o644)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
