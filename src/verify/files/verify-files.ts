import type { Catalog, Inventory, InventoryFile, InventoryTable } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { StorageError } from '../../errors.ts'
import { hashFile } from '../../lib/files/hash-file.ts'
import type { Store } from '../../store/store.ts'
import { readFooter } from '../../write/footer.ts'
import type { Finding } from '../lake/finding.ts'
import { verifyFooter } from './verify-footer.ts'

export type FilesOptions = {
  readonly store: Store
  readonly catalog: Pick<Catalog, 'fileStats'>
  readonly inventory: Inventory
  readonly declared: readonly Table[]
  /** Whether bytes are hashed: without, sizes, metadata and statistics are all that is looked at. */
  readonly hashing: boolean
  readonly stop: AbortSignal
  /** Is told of each file when it is done. */
  readonly onFile?: (file: InventoryFile) => void
}

/** Files whose statistics are in memory at once, and files that are read at once. */
const batchFiles = 500
const readers = 4

/** Every file of the catalog is there with its size, metadata, statistics and bytes. Memory is bounded: files are read in pieces. */
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
        const seen = await verifyWhereItLies(file, { known, table, stats: stats.get(file.id) ?? [] }, options)
        findings.push(...seen.findings)
        if (seen.sha256 !== null && file.sha256 !== null && seen.sha256 !== file.sha256) found.set(seen.sha256, file)
        options.onFile?.(file)
      })
    }
  }
  return withOwners(findings, found, inventory)
}

type Of = {
  readonly known: InventoryTable
  /** Absent: a table that this version does not declare. */
  readonly table: Table | undefined
  readonly stats: Awaited<ReturnType<Catalog['fileStats']>> extends Map<number, infer S> ? S : never
}

type VerifiedFile = { readonly findings: readonly Finding[]; readonly sha256: string | null }

/** Of files in a bucket a copy that was kept here may be damaged, and the file sound: before it is called wrong, it is fetched anew. */
async function verifyWhereItLies(file: InventoryFile, of: Of, options: FilesOptions): Promise<VerifiedFile> {
  const seen = await verifyFile(file, of, options)
  if (seen.findings.length === 0 || options.store.place.kind === 'folder') return seen
  await options.store.forget(file.path)
  return verifyFile(file, of, options)
}

async function verifyFile(
  file: InventoryFile,
  { known, table, stats }: Of,
  { store, hashing }: FilesOptions,
): Promise<VerifiedFile> {
  const place = placeOf(file, known.name)
  const unreadable = (error: unknown): Finding => ({
    ...place,
    kind: 'file.unreadable',
    message: `A file of ${known.name} cannot be read as Parquet.`,
    found: error instanceof Error ? error.message : String(error),
  })
  let size: number | null
  try {
    size = (await store.sizes([file.path]))[0] ?? null
  } catch (error) {
    // A place that does not answer says nothing of the file; a link that leads to itself, or a folder that may not be entered, does.
    if (error instanceof StorageError) throw error
    return { findings: [unreadable(error)], sha256: null }
  }
  if (size === null)
    return {
      findings: [{ ...place, kind: 'file.gone', message: `A file of ${known.name} is gone, or no file any more.` }],
      sha256: null,
    }
  const wrong: Finding[] = size === file.bytes ? [] : [sizeFinding(file, known.name, size)]
  let isOpen = false
  try {
    const handle = await store.open(file.path)
    isOpen = true
    try {
      const sha256 = hashing ? await hashFile(handle) : null
      if (wrong.length === 0 && sha256 !== null && file.sha256 !== null && sha256 !== file.sha256)
        wrong.push({
          ...place,
          kind: 'file.hash',
          message: `The bytes of a file of ${known.name} are not those that were committed.`,
          bytes: { from: 0, to: file.bytes },
          expected: `SHA-256 ${file.sha256}`,
          found: `SHA-256 ${sha256}`,
        })
      if (wrong.length > 0 && wrong[0]?.kind === 'file.size') return { findings: wrong, sha256 }
      const footer = await readFooter(handle, size)
      if (table !== undefined) wrong.push(...verifyFooter(file, { known, declared: table }, footer, stats))
      return { findings: wrong, sha256 }
    } finally {
      await handle.close()
    }
  } catch (error) {
    // Neither does more than may be fetched.
    if (!isOpen && error instanceof StorageError) throw error
    wrong.push(unreadable(error))
    return { findings: wrong, sha256: null }
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
        message: `The catalog names a file of ${name} twice: its rows are there twice.`,
      },
    ]
  })
}

/** Of a file with other bytes: whose they are, where another file of the catalog has them. */
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
    return { ...finding, message: `A file of ${finding.table} has the bytes of another one: ${owner}.` }
  })
}

/** Some at a time: reading waits for the disk, hashing for the processor. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const take = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: readers }, take))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
