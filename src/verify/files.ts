import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Catalog,
  hasKeptBounds,
  type Inventory,
  type InventoryFile,
  type InventoryTable,
} from '../catalog/catalog.ts'
import { readWhole } from '../catalog/duckdb/duckdb-file.ts'
import { keptCatalogTime } from '../catalog/place.ts'
import { fieldsOf, type Table } from '../define/index.ts'
import { ChainlakeError, StorageError } from '../errors.ts'
import { fileDigest, hashFile } from '../lib/files.ts'
import { counted } from '../lib/text.ts'
import type { LeafStats } from '../model.ts'
import { inDataFolder, readDataFileName } from '../store/data-file-path.ts'
import type { Store } from '../store/store.ts'
import { publishedText, viewsHeader } from '../views/published-views.ts'
import { type Footer, leavesOf, readFooter, statsOf } from '../write/footer.ts'
import { type Checked, nothingFound } from './lake.ts'
import type { Finding, FindingKind, OnProgress, Remark } from './report.ts'

type FilesOptions = {
  readonly catalog: Pick<Catalog, 'fileStats' | 'store'>
  readonly inventory: Inventory
  /** Whether to hash all bytes of a file. If not, only its size, metadata and statistics are checked. */
  readonly hashes: (file: InventoryFile) => boolean
  readonly stop: AbortSignal
  readonly onProgress?: OnProgress
}

/** How many files have their statistics in memory, and how many are read concurrently. */
const batchFiles = 500
const readers = 4

/** Checks that every file of the catalog exists with its size, metadata, statistics and bytes. Files are read in chunks, to bound memory. */
export async function verifyFiles(options: FilesOptions): Promise<readonly Finding[]> {
  const { inventory, catalog, stop, onProgress } = options
  const of = inventory.tables.reduce((sum, { files }) => sum + files.length, 0)
  let done = 0
  const findings: Finding[] = []
  const found = new Map<string, InventoryFile>()
  for (const known of inventory.tables) {
    const table = inventory.declared.find(({ name }) => name === known.name)
    findings.push(...namedTwice(known))
    for (let start = 0; start < known.files.length; start += batchFiles) {
      const batch = known.files.slice(start, start + batchFiles)
      const stats = await catalog.fileStats(batch.map(({ id }) => id))
      await eachOf(batch, async (file) => {
        stop.throwIfAborted()
        const seen = await verifyUncached(file, { known, table, stats: stats.get(file.id) ?? [] }, options)
        findings.push(...seen.findings)
        if (seen.sha256 !== null && file.sha256 !== null && seen.sha256 !== file.sha256) found.set(seen.sha256, file)
        onProgress?.({ what: 'files', done: ++done, of })
      })
    }
  }
  return withOwners(findings, found, inventory)
}

type FileContext = {
  readonly known: InventoryTable
  /** Undefined for a table that this version does not declare. */
  readonly table: Table | undefined
  readonly stats: Awaited<ReturnType<Catalog['fileStats']>> extends Map<number, infer S> ? S : never
}

type VerifiedFile = { readonly findings: readonly Finding[]; readonly sha256: string | null }

/** A file in a remote store may be intact while its cached copy is damaged. It is downloaded again before it becomes a finding. */
async function verifyUncached(file: InventoryFile, of: FileContext, options: FilesOptions): Promise<VerifiedFile> {
  const { store } = options.catalog
  const seen = await verifyFile(file, of, options)
  if (seen.findings.length === 0 || store.remote === null) return seen
  await store.forget(file.path)
  return verifyFile(file, of, options)
}

async function verifyFile(file: InventoryFile, of: FileContext, options: FilesOptions): Promise<VerifiedFile> {
  const findings: Finding[] = []
  const add: AddFinding = (kind, message, facts = {}) => {
    findings.push({ ...placeOf(file, of.known.name), kind, message, ...facts })
  }
  const opened = { isOpen: false }
  try {
    return { findings, sha256: await verifyBytes(file, of, { ...options, add, opened }) }
  } catch (error) {
    /*
     * A store that does not answer, or a limit of downloads, says nothing about the file. A link to itself, or a folder that may not be
     * entered, does.
     */
    if (!opened.isOpen && error instanceof StorageError) throw error
    const found = error instanceof Error ? error.message : String(error)
    add('file.unreadable', `A file of ${of.known.name} cannot be read as Parquet.`, { found })
    return { findings, sha256: null }
  }
}

type AddFinding = (kind: FindingKind, message: string, facts?: Partial<Finding>) => void

/** Checks the size, the bytes and the footer of a file; resolves to its checksum if it was read. */
async function verifyBytes(
  file: InventoryFile,
  { known, table, stats }: FileContext,
  { catalog, hashes, add, opened }: FilesOptions & { readonly add: AddFinding; readonly opened: { isOpen: boolean } },
): Promise<string | null> {
  const { name } = known
  const size = (await catalog.store.sizes([file.path]))[0] ?? null
  if (size === null) {
    add('file.gone', `A file of ${name} is missing, or is not a regular file.`)
    return null
  }
  if (size !== file.bytes)
    add('file.size', `A file of ${name} is ${size < file.bytes ? 'cut off' : 'longer than it was'}.`, {
      bytes: { from: Math.min(size, file.bytes), to: Math.max(size, file.bytes) },
      expected: `${file.bytes} bytes`,
      found: `${size} bytes`,
    })
  const handle = await catalog.store.open(file.path)
  opened.isOpen = true
  try {
    const sha256 = hashes(file) ? await hashFile(handle) : null
    if (size !== file.bytes) return sha256
    if (sha256 !== null && file.sha256 !== null && sha256 !== file.sha256)
      add('file.hash', `The bytes of a file of ${name} differ from those that were committed.`, {
        bytes: { from: 0, to: file.bytes },
        expected: `SHA-256 ${file.sha256}`,
        found: `SHA-256 ${sha256}`,
      })
    const footer = await readFooter(handle, size)
    if (table !== undefined) verifyFooter(file, { known, table, stats }, footer, add)
    return sha256
  } finally {
    await handle.close()
  }
}

function placeOf(file: InventoryFile, table: string) {
  const [source] = file.sources
  return {
    table,
    file: file.path,
    ...(file.network === null ? {} : { network: file.network }),
    ...(source === undefined || file.sources.length > 1
      ? {}
      : { stream: source.stream, ...(source.slice === null ? {} : { slice: source.slice }) }),
    ...(file.sources.length > 1 ? { holds: file.sources } : {}),
  }
}

function namedTwice({ name, files }: InventoryTable): Finding[] {
  const message = `The catalog lists a file of ${name} twice, so its rows are duplicated.`
  const seen = new Set<string>()
  return files
    .filter(({ path }) => seen.size === seen.add(path).size)
    .map((file) => ({ ...placeOf(file, name), kind: 'file.named-twice', message }))
}

/** Names the file of the catalog that the wrong bytes of a file belong to, if there is one. */
function withOwners(
  findings: readonly Finding[],
  found: ReadonlyMap<string, InventoryFile>,
  inventory: Inventory,
): Finding[] {
  if (found.size === 0) return [...findings]
  const owners = new Map<string, string>()
  for (const { files } of inventory.tables)
    for (const { path, sha256 } of files) if (sha256 !== null && found.has(sha256)) owners.set(sha256, path)
  const ownerOf = new Map([...found].map(([sha256, { path }]) => [path, owners.get(sha256)]))
  return findings.map((finding) => {
    const owner = ownerOf.get(finding.file ?? '')
    if (owner === undefined || (finding.kind !== 'file.hash' && finding.kind !== 'file.size')) return finding
    return { ...finding, message: `A file of ${finding.table} has the bytes of another file: ${owner}.` }
  })
}

/** Works on several items concurrently, because reading waits for the disk and hashing for the processor. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const take = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: readers }, take))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Compares the footer of a file with the catalog: number of rows, columns and their statistics. */
function verifyFooter(
  file: InventoryFile,
  { known, table, stats }: FileContext & { readonly table: Table },
  footer: Footer,
  add: AddFinding,
): void {
  const compare = (kind: FindingKind, message: string, expected: string, found: string): void => {
    if (expected !== found) add(kind, message, { expected, found })
  }
  const differs = `of a file of ${known.name} differs from the catalog.`
  compare('file.footer', `The number of rows ${differs}`, `${file.rows} rows`, `${footer.rows} rows`)
  compare('file.footer', `The length of the metadata ${differs}`, `${file.footerBytes} bytes`, `${footer.bytes} bytes`)
  const missing = missingColumns(known, footer, stats)
  if (missing !== null) {
    add('file.footer', `The columns of a file of ${known.name} differ from the catalog.`, missing)
    return
  }
  // Columns that are no longer declared are left out, because their type, which their bounds need, is unknown.
  const fields = new Map(leavesOf(fieldsOf(table)).map((field) => [field.id, field]))
  for (const said of stats) {
    const field = fields.get(said.fieldId)
    const position = footer.leafFieldIds.indexOf(said.fieldId)
    if (field === undefined || position < 0) continue
    const found = statsOf(
      field,
      footer.rowGroups.flatMap((group) => group[position] ?? []),
    )
    const isKept = said.min !== null || said.max !== null || hasKeptBounds(found)
    const [inCatalog, inFile] = [said, found].map((of): readonly (readonly [string, string | number | null])[] => [
      ['bytes', of.columnBytes],
      ['values', of.valueCount - of.nullCount],
      ['nulls', of.nullCount],
      ...(isKept
        ? ([
            ['least', of.min],
            ['greatest', of.max],
          ] as const)
        : []),
    ]) as [Facts, Facts]
    compare(
      'file.statistics',
      `The statistics of ${known.name}.${field.path} in the catalog differ from those of the file.`,
      differentText(inCatalog, inFile),
      differentText(inFile, inCatalog),
    )
  }
}

type Facts = readonly (readonly [name: string, value: string | number | null])[]

/** The facts that differ from others, which are in the same order. */
function differentText(facts: Facts, others: Facts): string {
  const different = facts.filter(([, value], at) => value !== others[at]?.[1])
  return different.map(([name, value]) => `${name} ${value ?? 'unknown'}`).join(', ')
}

/** Differences between the columns of the file and the columns with statistics in the catalog; null if there are none. */
function missingColumns(
  { columns }: InventoryTable,
  { leafFieldIds }: Footer,
  stats: readonly LeafStats[],
): { expected: string; found: string } | null {
  const inCatalog = [...new Set(stats.map(({ fieldId }) => fieldId))].sort((a, b) => a - b)
  const inFile = [...new Set(leafFieldIds)].sort((a, b) => (a ?? 0) - (b ?? 0))
  if (inCatalog.length === inFile.length && inCatalog.every((id, position) => id === inFile[position])) return null
  const nameOf = (id: number | undefined) =>
    columns.find((column) => column.id === id)?.name ?? `column ${id ?? 'without an id'}`
  const only = (ids: readonly (number | undefined)[], others: readonly (number | undefined)[]) =>
    ids
      .filter((id) => !others.includes(id))
      .map(nameOf)
      .join(', ') || 'no others'
  return { expected: only(inCatalog, inFile), found: only(inFile, inCatalog) }
}

/** The paths of all files under `data/`. List them before the inventory is read, so that the inventory names what is committed in between. */
export async function listDataFiles(store: Store): Promise<string[]> {
  try {
    return (await store.list(inDataFolder(''))).filter((path) => !path.endsWith('/')).sort()
  } catch (cause) {
    throw new StorageError('The folders under data/ of the lake cannot be listed.', {
      code: 'storage.list',
      cause,
      details: { reason: cause instanceof Error ? cause.message : String(cause) },
      hint: 'Let the user that runs chainlake read these folders, then verify again.',
    })
  }
}

/**
 * When a restore last replaced a catalog that it kept in the folder of the lake: the kept catalog may name files of earlier runs. A lake with
 * its catalog in PostgreSQL and its files in S3 has no folder on a machine that has only read it.
 */
export async function lastReplaced(lakeDir: string): Promise<string | null> {
  const names = await readdir(lakeDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return (
    names
      .flatMap((name) => keptCatalogTime(name) ?? [])
      .sort()
      .at(-1) ?? null
  )
}

/**
 * Checks that no file under `data/` is of unknown origin, and that the files of older snapshots and staged parts exist. `replaced`: when a
 * restore last replaced a catalog and kept the old one, in the format of run ids; null if no old catalog is kept.
 */
export async function verifyNamed(
  paths: readonly string[],
  { store, inventory, replaced }: { store: Store; inventory: Inventory; replaced: string | null },
): Promise<Checked> {
  const named = new Set([
    ...inventory.tables.flatMap(({ files }) => files.map(({ path }) => path)),
    ...inventory.hidden.map(({ path }) => path),
  ])
  const findings: Finding[] = []
  const kept: string[] = []
  const left: string[] = []
  /** A catalog that was replaced may name files of runs that the current catalog does not know. */
  const isBeforeRestore = (runId: string) => !inventory.over.has(runId) && replaced !== null && runId < replaced
  for (const path of paths) {
    if (named.has(path)) continue
    const runId = readDataFileName(path.slice(path.lastIndexOf('/') + 1))?.runId ?? null
    if (runId !== null && (inventory.writing.has(runId) || isBeforeRestore(runId))) kept.push(path)
    else if (runId !== null && inventory.over.has(runId)) left.push(path)
    else
      findings.push({
        kind: 'file.unknown',
        message: 'A file of unknown origin is under data/: neither the catalog nor any run knows it.',
        file: path,
      })
  }
  const remarks = [
    ...saidOf(
      kept,
      (isOne, such) =>
        `active runs, or of a catalog that a restore replaced, ${isOne ? 'is' : 'are'} not in the catalog, ${such}.`,
    ),
    ...saidOf(
      left,
      (isOne, such) =>
        `finished runs ${isOne ? 'is' : 'are'} not in the catalog, ${such}. The next run removes ${isOne ? 'it' : 'them'}.`,
    ),
    ...(await goneRemarks(store, inventory)),
  ]
  return { findings, remarks }
}

/** A remark about files, if there are any. */
function saidOf(paths: readonly string[], says: (isOne: boolean, such: string) => string): Remark[] {
  if (paths.length === 0) return []
  return [{ message: `${counted(paths.length, 'file')} of ${says(paths.length === 1, `such as ${paths[0]}`)}` }]
}

async function goneRemarks(store: Store, { hidden }: Inventory): Promise<Remark[]> {
  const sizes = await store.sizes(hidden.map(({ path }) => path))
  const gone = hidden.filter(({ bytes }, position) => bytes !== null && sizes[position] !== bytes)
  return saidOf(
    gone.map(({ path }) => path),
    (isOne, such) =>
      `older snapshots or incomplete observations ${isOne ? 'is missing or has' : 'are missing or have'} another size, ${such}. No view shows ${isOne ? 'it' : 'them'}.`,
  )
}

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
  const has = (name: string) => names.includes(name) && existsSync(join(lakeDir, name))
  const gone = names
    .filter((name) => !has(name))
    .map((file): Finding => ({ kind: 'published.gone', message: `${file} is missing.`, file }))
  const reading = has('lake.ducklake') ? readWhole(join(lakeDir, 'lake.ducklake')) : Promise.resolve()
  const copy = await reading.then(
    () => [],
    (error: unknown) => [damaged('lake.ducklake', reasonOf(error))],
  )
  // The first publication was interrupted, or nothing is published on this machine.
  if (!has('lake.duckdb') && !has('views.sql'))
    return { findings: copy, remarks: [{ message: `${lakeDir} has no views. Run chainlake views to write them.` }] }
  const views = has('views.sql') ? await checkViews(lakeDir, lakeId) : nothingFound
  return { findings: [...gone, ...copy, ...views.findings], remarks: views.remarks }
}

/** Checks the text of the views and, by its first line, the database of the views. */
async function checkViews(lakeDir: string, lakeId: string): Promise<Checked> {
  const only = (file: string, found: string): Checked => ({ findings: [damaged(file, found)], remarks: [] })
  const header = await viewsHeader(lakeDir)
  if (header === null) return only('views.sql', 'its first line does not name a lake and a snapshot')
  if (header.lakeId !== lakeId) return only('views.sql', `the lake ${header.lakeId}`)
  const text = (await publishedText(lakeDir))?.sha256
  if (text !== header.textSha256) return only('views.sql', `SHA-256 of its views: ${text ?? unread}`)
  const path = join(lakeDir, 'lake.duckdb')
  if (!existsSync(path)) return nothingFound
  const digest = await fileDigest(path).catch(() => unread)
  if (digest === header.lakeSha256) return nothingFound
  try {
    const found = String(await readWhole(path, `SELECT lake_id || ' ' || snapshot_id FROM chainlake_lake`))
    if (!found.startsWith(`${lakeId} `)) return only('lake.duckdb', `the lake ${found.split(' ')[0]}`)
    if (found === `${lakeId} ${header.snapshotId}`) return only('lake.duckdb', `SHA-256: ${digest}`)
  } catch (error) {
    return only('lake.duckdb', reasonOf(error))
  }
  // An intact file of this lake that shows another snapshot than `views.sql`.
  const message =
    'A publication was interrupted: lake.duckdb and views.sql show different snapshots. The next run, or chainlake views, writes both again.'
  return { findings: [], remarks: [{ message }] }
}

const unread = 'it cannot be read'

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
