import type { Catalog, Inventory, InventoryFile, InventoryTable } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { StorageError } from '../../errors.ts'
import { hashFile } from '../../lib/files/hash-file.ts'
import type { Store } from '../../store/store.ts'
import { readFooter } from '../../write/footer.ts'
import type { Finding } from '../lake/finding.ts'
import { verifyFooter } from './verify-footer.ts'

type FilesOptions = {
  readonly store: Store
  readonly catalog: Pick<Catalog, 'fileStats'>
  readonly inventory: Inventory
  readonly declared: readonly Table[]
  /** Whether to hash all bytes of a file. If not, only its size, metadata and statistics are checked. */
  readonly hashes: (file: InventoryFile) => boolean
  readonly stop: AbortSignal
  /** Called with each file that was checked. */
  readonly onFile?: (file: InventoryFile) => void
}

/** How many files have their statistics in memory, and how many are read concurrently. */
const batchFiles = 500
const readers = 4

/** Checks that every file of the catalog exists with its size, metadata, statistics and bytes. Files are read in chunks, to bound memory. */
export async function verifyFiles(options: FilesOptions): Promise<readonly Finding[]> {
  const { inventory, catalog, declared } = options
  const findings: Finding[] = []
  const found = new Map<string, InventoryFile>()
  for (const known of inventory.tables) {
    const table = declared.find(({ name }) => name === known.name)
    findings.push(...namedTwice(known))
    for (let start = 0; start < known.files.length; start += batchFiles) {
      const batch = known.files.slice(start, start + batchFiles)
      const stats = await catalog.fileStats(batch.map(({ id }) => id))
      await eachOf(batch, async (file) => {
        options.stop.throwIfAborted()
        const seen = await verifyUncached(file, { known, table, stats: stats.get(file.id) ?? [] }, options)
        findings.push(...seen.findings)
        if (seen.sha256 !== null && file.sha256 !== null && seen.sha256 !== file.sha256) found.set(seen.sha256, file)
        options.onFile?.(file)
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
  const seen = await verifyFile(file, of, options)
  if (seen.findings.length === 0 || options.store.remote === null) return seen
  await options.store.forget(file.path)
  return verifyFile(file, of, options)
}

async function verifyFile(file: InventoryFile, of: FileContext, options: FilesOptions): Promise<VerifiedFile> {
  const table = of.known.name
  let size: number | null
  try {
    size = (await options.store.sizes([file.path]))[0] ?? null
  } catch (error) {
    // A store that does not answer says nothing about the file. A link to itself, or a folder that may not be entered, does.
    if (error instanceof StorageError) throw error
    return { findings: [unreadableFinding(file, table, error)], sha256: null }
  }
  if (size === null) return { findings: [goneFinding(file, table)], sha256: null }
  return verifyBytes(file, of, size, options)
}

/** Checks the size, the bytes and the footer of a file that exists. */
async function verifyBytes(
  file: InventoryFile,
  of: FileContext,
  size: number,
  { store, hashes }: FilesOptions,
): Promise<VerifiedFile> {
  const table = of.known.name
  const wrong: Finding[] = size === file.bytes ? [] : [sizeFinding(file, table, size)]
  let isOpen = false
  try {
    const handle = await store.open(file.path)
    isOpen = true
    try {
      const sha256 = hashes(file) ? await hashFile(handle) : null
      if (wrong.length > 0) return { findings: wrong, sha256 }
      if (sha256 !== null && file.sha256 !== null && sha256 !== file.sha256)
        wrong.push(hashFinding(file, file.sha256, table, sha256))
      const footer = await readFooter(handle, size)
      if (of.table !== undefined)
        wrong.push(...verifyFooter(file, { known: of.known, declared: of.table }, footer, of.stats))
      return { findings: wrong, sha256 }
    } finally {
      await handle.close()
    }
  } catch (error) {
    // The store did not answer, or downloading the file would exceed a limit.
    if (!isOpen && error instanceof StorageError) throw error
    wrong.push(unreadableFinding(file, table, error))
    return { findings: wrong, sha256: null }
  }
}

function unreadableFinding(file: InventoryFile, table: string, error: unknown): Finding {
  return {
    ...placeOf(file, table),
    kind: 'file.unreadable',
    message: `A file of ${table} cannot be read as Parquet.`,
    found: error instanceof Error ? error.message : String(error),
  }
}

function goneFinding(file: InventoryFile, table: string): Finding {
  return {
    ...placeOf(file, table),
    kind: 'file.gone',
    message: `A file of ${table} is missing, or is not a regular file.`,
  }
}

function hashFinding(file: InventoryFile, committed: string, table: string, found: string): Finding {
  return {
    ...placeOf(file, table),
    kind: 'file.hash',
    message: `The bytes of a file of ${table} differ from those that were committed.`,
    bytes: { from: 0, to: file.bytes },
    expected: `SHA-256 ${committed}`,
    found: `SHA-256 ${found}`,
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

function sizeFinding(file: InventoryFile, table: string, size: number): Finding {
  return {
    ...placeOf(file, table),
    kind: 'file.size',
    message: size < file.bytes ? `A file of ${table} is cut off.` : `A file of ${table} is longer than it was.`,
    bytes: { from: Math.min(size, file.bytes), to: Math.max(size, file.bytes) },
    expected: `${file.bytes} bytes`,
    found: `${size} bytes`,
  }
}

function namedTwice({ name, files }: InventoryTable): Finding[] {
  const seen = new Set<string>()
  return files.flatMap((file) => {
    if (!seen.has(file.path)) {
      seen.add(file.path)
      return []
    }
    return [
      {
        ...placeOf(file, name),
        kind: 'file.named-twice' as const,
        message: `The catalog lists a file of ${name} twice, so its rows are duplicated.`,
      },
    ]
  })
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
