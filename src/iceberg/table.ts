import { hash, randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile as writeWhole } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fieldsOf, type Table } from '../define/index.ts'
import { CatalogError, ConfigError } from '../errors.ts'
import { replaceFile, syncFolder } from '../lib/files.ts'
import { reachStep } from '../lib/step.ts'
import { doubtful, isDoubtful, parseLocationUri } from '../lib/text.ts'
import type { CatalogFile, LakeSnapshot, LeafStats } from '../model.ts'
import { type Avro, countFiles, manifestListSchema, writeNextManifests } from './manifest.ts'
import { highestId, type IcebergSchema, lastPartitionId, partitionSpec, schemaFields } from './schema.ts'

/** The folder of Iceberg's metadata inside the lake. For Iceberg it is a namespace, and the lake is the warehouse. */
export const icebergFolder = 'iceberg'

/** The URI of a folder: `file:///srv/lake`. It encodes no characters, as Iceberg's readers expect. */
export function fileUri(folder: string): string {
  const path = folder.replaceAll('\\', '/')
  return `file://${path.startsWith('/') ? '' : '/'}${path.replace(/\/+$/, '')}`
}

/** The URI of a lake's folder. Throws `ConfigError` for a path that readers interpret differently. */
export function lakeUri(folder: string): string {
  const uri = fileUri(folder)
  if (isDoubtful(uri))
    throw new ConfigError(`The path of the lake has ${doubtful}.`, {
      code: 'iceberg.location',
      details: { location: uri },
      hint: 'Rename the folder, or give --location with a URI that readers can use.',
    })
  return uri
}

/** The value of `--location`, without the slashes at its end. Throws `ConfigError`. */
export function parseLocation(text: string): string {
  return isAbsolute(text) ? lakeUri(text) : parseLocationUri(text)
}

type Counted = ReturnType<typeof countFiles>

/** The summary of a snapshot: its changes, under Iceberg's names, and the lake, catalog snapshot and files that it shows. */
function snapshotSummary(
  { added, removed, total }: { readonly added: Counted; readonly removed: Counted; readonly total: Counted },
  { lakeId, snapshotId, runId }: LakeSnapshot,
  files: string,
): IcebergSnapshot['summary'] {
  const counted = [
    ...(added.files === 0 ? [] : [{ name: 'added', size: 'added-files-size', ...added }]),
    ...(removed.files === 0 ? [] : [{ name: 'deleted', size: 'removed-files-size', ...removed }]),
    { name: 'total', size: 'total-files-size', ...total },
  ]
  const counts = counted.flatMap(({ name, size, files, rows, bytes }) => [
    [`${name}-data-files`, String(files)],
    [`${name}-records`, String(rows)],
    [size, String(bytes)],
  ])
  return {
    operation: removed.files === 0 ? 'append' : added.files === 0 ? 'delete' : 'overwrite',
    ...Object.fromEntries(counts),
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
    [summaryKeys.lake]: lakeId,
    [summaryKeys.snapshot]: String(snapshotId),
    ...(runId === null ? {} : { [summaryKeys.run]: runId }),
    [summaryKeys.files]: files,
  }
}

/** The metadata file of a table, version 2 (Iceberg specification, "Table Metadata"). */
export type TableMetadata = {
  readonly 'format-version': 2
  readonly 'table-uuid': string
  readonly location: string
  readonly 'last-sequence-number': number
  readonly 'last-updated-ms': number
  readonly 'last-column-id': number
  readonly 'current-schema-id': number
  readonly schemas: readonly IcebergSchema[]
  readonly 'default-spec-id': 0
  readonly 'partition-specs': readonly [{ readonly 'spec-id': 0; readonly fields: readonly object[] }]
  readonly 'last-partition-id': number
  readonly 'default-sort-order-id': 0
  readonly 'sort-orders': readonly [{ readonly 'order-id': 0; readonly fields: readonly [] }]
  readonly properties: Readonly<Record<string, string>>
  readonly 'current-snapshot-id': number
  readonly refs: { readonly main?: { readonly 'snapshot-id': number; readonly type: 'branch' } }
  readonly snapshots: readonly IcebergSnapshot[]
  readonly 'snapshot-log': readonly { readonly 'snapshot-id': number; readonly 'timestamp-ms': number }[]
  readonly 'metadata-log': readonly { readonly 'metadata-file': string; readonly 'timestamp-ms': number }[]
}

export type IcebergSnapshot = {
  readonly 'snapshot-id': number
  readonly 'parent-snapshot-id'?: number
  readonly 'sequence-number': number
  readonly 'timestamp-ms': number
  readonly 'manifest-list': string
  readonly summary: Readonly<Record<string, string>> & { readonly operation: string }
  readonly 'schema-id': number
}

/** Keys of a snapshot's summary that name the lake, its snapshot and its files. */
const summaryKeys = {
  lake: 'chainlake.lake-id',
  snapshot: 'chainlake.snapshot-id',
  run: 'chainlake.run-id',
  files: 'chainlake.files-sha256',
} as const

/** The value of `current-snapshot-id` for a table without a snapshot. */
const noSnapshot = -1

function currentSnapshot(metadata: TableMetadata): IcebergSnapshot | undefined {
  return metadata.snapshots.find((each) => each['snapshot-id'] === metadata['current-snapshot-id'])
}

/** The schema with these fields: an earlier one, or a new one after the earlier ones. */
function withSchema(
  before: readonly IcebergSchema[],
  fields: IcebergSchema['fields'],
): { readonly schemas: readonly IcebergSchema[]; readonly schema: IcebergSchema } {
  const known = before.find((schema) => isDeepStrictEqual(schema.fields, fields))
  if (known !== undefined) return { schemas: before, schema: known }
  const id = Math.max(-1, ...before.map((schema) => schema['schema-id'])) + 1
  const schema: IcebergSchema = { type: 'struct', 'schema-id': id, fields }
  return { schemas: [...before, schema], schema }
}

function metadataLog(
  { version, metadata }: Version,
  home: string,
  kept: ReadonlySet<number>,
): TableMetadata['metadata-log'] {
  const own = {
    'metadata-file': `${home}/metadata/${metadataName(version)}`,
    'timestamp-ms': metadata['last-updated-ms'],
  }
  const names = new Set([...kept].map((each) => `${home}/metadata/${metadataName(each)}`))
  return [...metadata['metadata-log'], own].filter((entry) => names.has(entry['metadata-file']))
}

type TableToPublish = {
  readonly avro: Avro
  readonly table: Table
  /** All files of the table. */
  readonly files: readonly CatalogFile[]
  readonly folder: TableFolder
  /** The URI at which readers find the lake. */
  readonly location: string
  /** The URI at which they find its data files: in the lake, or in its bucket. */
  readonly dataLocation: string
  /** The snapshot of the catalog to publish. */
  readonly lake: LakeSnapshot
  /** Whether the catalog still has an earlier snapshot, and so all of its files. */
  readonly has: (snapshot: LakeSnapshot) => boolean
  readonly statsOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, readonly LeafStats[]>>
  readonly nowMs: number
}

/** The next version of a published table. Readers do not see it until `reveal`. */
export type Draft = Awaited<ReturnType<typeof draftTable>>

/** Published tables keep at most this many snapshots. */
const mostSnapshots = 50

/**
 * Writes the files that a table needs to show the data files of the catalog: manifests, their list, and metadata that are not visible yet.
 *
 * @throws SchemaError for a partitioning that Iceberg does not have; CatalogError for metadata that chainlake has not written.
 */
export async function draftTable(options: TableToPublish) {
  const { table, folder, avro, nowMs } = options
  const plan = await planFor(options)
  const { current, base, shown, isSame, kept, total, schema, properties } = plan
  const facts = { table: table.name, total }
  const isCurrent =
    base?.['current-schema-id'] === schema['schema-id'] && isDeepStrictEqual(base.properties, properties)
  if (current !== null && isCurrent && isSame && kept.length === base.snapshots.length) {
    const { version } = current
    return {
      ...facts,
      version,
      /** The table is already published as it is. */
      change: null,
      ...ids(shown),
      reveal: () => hint(folder, version),
      clean: async () => undefined,
    }
  }
  const version = (current?.version ?? 0) + 1
  const wasLeft = await beginDraft(folder)
  reachStep('iceberg.after-begin')
  const { snapshot, ...change } = isSame
    ? { snapshot: shown, added: nothing, removed: nothing }
    : await nextSnapshot(options, plan)
  const versions = current === null ? new Set<number>() : await keptVersions(folder, current.version, nowMs)
  const metadata = nextMetadata(options, plan, snapshot, versions)
  await writeFile(folder, draftName, `${JSON.stringify(metadata, null, 1)}\n`, 'w')
  await syncFolder(folder.path)
  return {
    ...facts,
    version,
    change,
    ...ids(snapshot),
    reveal: () => revealDraft(folder, version),
    /** Removes the files that readers have not seen for a while. */
    clean: () => removeUnnamed(folder, avro, { version, nowMs, wasLeft }),
  }
}

type Plan = Awaited<ReturnType<typeof planFor>>

/** What the next version of a table is made of, next to the current one. */
async function planFor({ table, folder, location, lake, has, ...given }: TableToPublish) {
  const spec = partitionSpec(table)
  // Readers continue from the version in the hint to the last file without a gap, so they see the highest version.
  const version = Math.max(0, ...(await versions(folder)))
  const current = version === 0 ? null : { version, metadata: await readVersion(folder, version) }
  refuseForeign(folder, current, lake)
  /** URI of the Iceberg folder of the table. */
  const home = `${location}/${icebergFolder}/${table.name}`
  // Paths are absolute: metadata with another location or other partitions cannot be extended.
  const isBase =
    current?.metadata.location === home &&
    isDeepStrictEqual(
      current.metadata['partition-specs'][0].fields,
      spec.map(({ field }) => field),
    )
  /** The metadata that the next ones continue, if they can. */
  const base = isBase ? current.metadata : null
  // This distinguishes them from any other list of files: no file ever gets the name of another.
  const files = hash('sha256', given.files.map(({ path }) => `${path}\n`).join(''))
  const shown = base === null ? undefined : currentSnapshot(base)
  const isSame = shown === undefined ? given.files.length === 0 : shown.summary[summaryKeys.files] === files
  return {
    ...{ current, base, home, spec, files, shown, isSame },
    ...withSchema(current?.metadata.schemas ?? [], schemaFields(fieldsOf(table))),
    kept: keptSnapshots(base, isSame ? shown : undefined, has),
    // Data files belong to the lake: this keeps engines from removing files that only earlier snapshots name.
    properties: { comment: table.comment, 'gc.enabled': 'false', [summaryKeys.lake]: lake.lakeId },
    total: countFiles(given.files),
  }
}

const nothing: Counted = { files: 0, rows: 0, bytes: 0 }

function ids(snapshot: IcebergSnapshot | undefined) {
  return {
    snapshotId: snapshot?.['snapshot-id'] ?? null,
    /** The snapshot of the catalog since which the files are the same. */
    lakeSnapshotId: snapshot === undefined ? null : Number(snapshot.summary[summaryKeys.snapshot]),
  }
}

/** Creates a new snapshot and writes its manifests. */
async function nextSnapshot(
  { folder, dataLocation, lake, nowMs, ...given }: TableToPublish,
  { current, base, shown, schema, spec, files, home, total }: Plan,
) {
  const before = current?.metadata ?? null
  const id = newSnapshotId(before)
  const sequenceNumber = (before?.['last-sequence-number'] ?? 0) + 1
  const write = async (name: string, bytes: Buffer): Promise<string> => {
    await writeFile(folder, name, bytes, 'wx')
    return `${home}/metadata/${name}`
  }
  const read = (uri: string) => readNamed(folder, uri)
  const earlier = shown === undefined ? [] : await given.avro.read(await read(shown['manifest-list']))
  const { manifests, added, removed } = await writeNextManifests(earlier, {
    ...given,
    columns: fieldsOf(given.table),
    schema,
    spec,
    snapshot: { id, sequenceNumber },
    uriOf: (path) => `${dataLocation}/${path}`,
    read,
    write,
  })
  const parent = shown?.['snapshot-id']
  const metadata = {
    'snapshot-id': String(id),
    'parent-snapshot-id': parent === undefined ? 'null' : String(parent),
    'sequence-number': String(sequenceNumber),
    'format-version': '2',
  }
  const list = await write(
    `snap-${id}-1-${randomUUID()}.avro`,
    await given.avro.write(manifestListSchema, metadata, manifests),
  )
  reachStep('iceberg.after-manifests')
  const snapshot: IcebergSnapshot = {
    'snapshot-id': id,
    ...(parent === undefined ? {} : { 'parent-snapshot-id': parent }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': Math.max(nowMs, (base?.['last-updated-ms'] ?? 0) + 1),
    'manifest-list': list,
    summary: snapshotSummary({ added, removed, total }, lake, files),
    'schema-id': schema['schema-id'],
  }
  return { snapshot, added, removed }
}

/** The metadata of a table that follow the current metadata. `versions`: those with metadata files that stay. */
function nextMetadata(
  { table, nowMs }: TableToPublish,
  { current, home, schemas, schema, spec, properties, shown, kept }: Plan,
  snapshot: IcebergSnapshot | undefined,
  versions: ReadonlySet<number>,
): TableMetadata {
  const before = current?.metadata
  const snapshots = snapshot === undefined || snapshot === shown ? kept : [...kept, snapshot]
  return {
    'format-version': 2,
    'table-uuid': before?.['table-uuid'] ?? randomUUID(),
    location: home,
    'last-sequence-number': Math.max(before?.['last-sequence-number'] ?? 0, snapshot?.['sequence-number'] ?? 0),
    'last-updated-ms': Math.max(nowMs, snapshot?.['timestamp-ms'] ?? 0, (before?.['last-updated-ms'] ?? 0) + 1),
    'last-column-id': Math.max(highestId(fieldsOf(table)), before?.['last-column-id'] ?? 0),
    'current-schema-id': schema['schema-id'],
    schemas,
    'default-spec-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: spec.map(({ field }) => field) }],
    'last-partition-id': lastPartitionId(spec),
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties,
    'current-snapshot-id': snapshot?.['snapshot-id'] ?? noSnapshot,
    refs: snapshot === undefined ? {} : { main: { 'snapshot-id': snapshot['snapshot-id'], type: 'branch' } },
    snapshots,
    'snapshot-log': snapshots.map((each) => ({
      'snapshot-id': each['snapshot-id'],
      'timestamp-ms': each['timestamp-ms'],
    })),
    'metadata-log': current === null ? [] : metadataLog(current, home, versions),
  }
}

/** A random number of 52 bits that no snapshot of the table has. JSON and the Avro writer keep it exact. */
function newSnapshotId(before: TableMetadata | null): number {
  const id = Number(randomBytes(8).readBigUInt64BE() >> 12n)
  return id === 0 || before?.snapshots.some((each) => each['snapshot-id'] === id) ? newSnapshotId(before) : id
}

/** The snapshots that have all their files: those that the catalog still has, and the one that shows the current files. */
function keptSnapshots(
  base: TableMetadata | null,
  same: IcebergSnapshot | undefined,
  has: (snapshot: LakeSnapshot) => boolean,
): IcebergSnapshot[] {
  const kept = base?.snapshots.filter((snapshot) => snapshot === same || has(lakeSnapshotOf(snapshot))) ?? []
  return kept.slice(same === undefined ? 1 - mostSnapshots : -mostSnapshots)
}

function lakeSnapshotOf({ summary }: IcebergSnapshot): LakeSnapshot {
  return {
    lakeId: summary[summaryKeys.lake] ?? '',
    snapshotId: Number(summary[summaryKeys.snapshot]),
    runId: summary[summaryKeys.run] ?? null,
  }
}

function refuseForeign(folder: TableFolder, current: Version | null, { lakeId }: LakeSnapshot): void {
  if (current === null) return
  const { metadata, version } = current
  const snapshot = currentSnapshot(metadata)
  const isOwn =
    metadata.properties?.[summaryKeys.lake] === lakeId &&
    (snapshot === undefined || snapshot.summary[summaryKeys.files] !== undefined)
  if (isOwn) return
  throw new CatalogError(`The Iceberg metadata of ${folder.table} were not written by chainlake for this lake.`, {
    code: 'iceberg.foreign',
    details: { folder: folder.path, file: metadataName(version) },
    hint: 'Another program or another lake has written here, but published tables are only for reading. Remove the folder and publish again; the data files are elsewhere and stay.',
  })
}

/**
 * Milliseconds for which files stay after a newer version has replaced theirs. Readers may hold the older version and read the files that
 * it names.
 */
const graceMs = 24 * 3_600_000
/** Fewest old versions for which the cleaning is worthwhile. Finding the named files takes longer than these few files cost. */
const worthwhile = 10

/** The versions, of those up to `last`, with metadata that stay: those that readers could see within the last 24 hours. */
async function keptVersions(folder: TableFolder, last: number, nowMs: number): Promise<Set<number>> {
  const known = (await versions(folder)).filter((version) => version <= last).sort((a, b) => a - b)
  const kept = new Set<number>()
  for (const [position, version] of known.entries()) {
    const next = known[position + 1]
    const writtenMs = next === undefined ? nowMs : (await stat(join(folder.path, metadataName(next)))).mtimeMs
    if (writtenMs > nowMs - graceMs) kept.add(version)
  }
  return kept
}

/** Removes the files that no remaining metadata name. `wasLeft`: an earlier publication died here. */
async function removeUnnamed(
  folder: TableFolder,
  avro: Avro,
  { version, nowMs, wasLeft }: { readonly version: number; readonly nowMs: number; readonly wasLeft: boolean },
): Promise<void> {
  const kept = await keptVersions(folder, version, nowMs)
  const old = (await versions(folder)).length - kept.size
  if (!wasLeft && old < worthwhile) return
  const named = new Set([...kept].map(metadataName)).add(hintName).add(draftName)
  const lists = new Set<string>()
  for (const each of kept)
    for (const snapshot of (await readVersion(folder, each)).snapshots) lists.add(nameOf(snapshot['manifest-list']))
  for (const list of lists) {
    named.add(list)
    for (const manifest of await avro.read(await readNamed(folder, list)))
      named.add(nameOf(String(manifest['manifest_path'])))
  }
  for (const name of await names(folder)) if (!named.has(name)) await rm(join(folder.path, name), { force: true })
}

/**
 * The folder `metadata` of a table, with the file names of Hadoop tables: `v3.metadata.json`, and `version-hint.text`, which contains 3.
 */
type TableFolder = {
  /** Absolute path. */
  readonly path: string
  /** The name of its table in messages. */
  readonly table: string
}

type Version = { readonly version: number; readonly metadata: TableMetadata }

const hintName = 'version-hint.text'
/** This file exists from before the first file of a publication until its metadata are in place. */
const draftName = '.draft.metadata.json'

export function metadataName(version: number): string {
  return `v${version}.metadata.json`
}

async function versions(folder: TableFolder): Promise<number[]> {
  return (await names(folder)).flatMap((name) => {
    const [, version] = /^v(\d+)\.metadata\.json$/.exec(name) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

async function readVersion(folder: TableFolder, version: number): Promise<TableMetadata> {
  const name = metadataName(version)
  const text = await readFile(join(folder.path, name), 'utf8')
  try {
    return JSON.parse(text) as TableMetadata
  } catch (cause) {
    throw unreadable(folder, name, cause)
  }
}

/** Reads a file that metadata of the table name, by its URI or path. Throws `CatalogError` `iceberg.unreadable`. */
async function readNamed(folder: TableFolder, uri: string): Promise<Buffer> {
  const name = nameOf(uri)
  return readFile(join(folder.path, name)).catch((cause) => {
    throw cause.code === 'ENOENT' ? unreadable(folder, name, cause) : cause
  })
}

/** The last part of a URI or path. */
function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

function unreadable(folder: TableFolder, name: string, cause: unknown): CatalogError {
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
async function beginDraft(folder: TableFolder): Promise<boolean> {
  const made = await mkdir(folder.path, { recursive: true })
  if (made !== undefined)
    for (let at = folder.path; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at))
  const wasLeft = (await names(folder)).includes(draftName)
  await writeFile(folder, draftName, '', 'w')
  return wasLeft
}

/** Makes the draft visible as this version, in one step. */
async function revealDraft(folder: TableFolder, version: number): Promise<void> {
  reachStep('iceberg.before-reveal')
  await rename(join(folder.path, draftName), join(folder.path, metadataName(version)))
  await syncFolder(folder.path)
  reachStep('iceberg.after-reveal')
  await hint(folder, version)
}

/** Writes this version to the hint. */
async function hint(folder: TableFolder, version: number): Promise<void> {
  const said = await readFile(join(folder.path, hintName), 'utf8').catch(() => null)
  if (said === String(version)) return
  await replaceFile(join(folder.path, hintName), String(version))
  reachStep('iceberg.after-hint')
}

async function names({ path }: TableFolder): Promise<string[]> {
  return readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

async function writeFile(folder: TableFolder, name: string, bytes: Buffer | string, flag: 'w' | 'wx'): Promise<void> {
  await writeWhole(join(folder.path, name), bytes, { flag, mode: 0o644, flush: true })
}
