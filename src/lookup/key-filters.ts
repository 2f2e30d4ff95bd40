import type { Table } from '../define/index.ts'
import { type BloomFilter, bloomFilterBytes, createBloomFilter } from './bloom-filter.ts'
import { fingerprintOf, hasFingerprints } from './fingerprint.ts'

/** A file of a table by its path relative to the lake, with `/`. */
export type KnownFile = { readonly path: string; readonly rows: number }

/** A new file. */
type WrittenFile = KnownFile & { readonly table: string }

export type KeyQuery = {
  readonly table: Table
  readonly files: readonly KnownFile[]
  readonly keys: readonly string[]
}

/** Adds the fingerprints of all rows of files to a filter. */
type ScanKeys = (table: Table, files: readonly KnownFile[], filter: BloomFilter) => Promise<void>

/**
 * Bloom filters over the keys in files. Files never change, so a filter stays valid. A filter is built for files once the queries for them
 * have cost as much as reading all of their keys. The memory of all filters is bounded; the least recently used filters are removed first.
 */
export type KeyFilters = {
  /** Returns the remaining comparisons: the keys that files may hold, with these files. */
  narrow(query: KeyQuery): Promise<Pick<KeyQuery, 'files' | 'keys'>[]>
  /**
   * Learns the keys of new files. If the table already has filters, it builds a filter at once. Otherwise it builds one if the next query is for
   * these files. `keys` returns all keys of the new rows by table. They must not change any more.
   */
  learn(written: readonly WrittenFile[], keys: () => ReadonlyMap<Table, ReadonlySet<string>>): void
  /** Removes all filters. */
  clear(): void
}

/** A filter over some files of a table. */
type FilteredFiles = {
  readonly filter: BloomFilter
  readonly files: readonly KnownFile[]
  readonly bytes: number
  usedAt: number
}

/** New files with their keys, for which there is no filter yet. */
type Fresh = { readonly table: Table; readonly files: readonly KnownFile[]; readonly keys: ReadonlySet<string> }

/** Default memory of all filters, in bytes: enough for eleven million keys. */
const defaultBytes = 32 * 1024 * 1024

/**
 * Costs of a comparison. The unit is the cost of reading the key of one row for a filter. `row` applies to each row of the files, in
 * proportion if there are fewer keys than `manyKeys`, because few keys seldom need all rows. `key` applies to each key.
 */
const costOf = { row: 0.2, key: 1, manyKeys: 1024 } as const

export function createKeyFilters(scan: ScanKeys, maxBytes = defaultBytes): KeyFilters {
  const byPath = new Map<string, FilteredFiles>()
  /** By path of files without a filter: cost of the comparisons so far, per row of the file. */
  const spent = new Map<string, number>()
  const filtered = new Set<string>()
  /** Files of the last commit only, because keys are large. */
  let fresh: readonly Fresh[] = []
  let bytes = 0
  let uses = 0
  let turn: Promise<unknown> = Promise.resolve()

  const filtersOf = (files: readonly KnownFile[]): Set<FilteredFiles> =>
    new Set(files.flatMap(({ path }) => byPath.get(path) ?? []))
  const drop = (old: FilteredFiles): void => {
    for (const { path } of old.files) byPath.delete(path)
    bytes -= old.bytes
  }
  const keep = (table: Table, files: readonly KnownFile[], filter: BloomFilter): void => {
    filtered.add(table.name)
    const added = { filter, files, bytes: bloomFilterBytes(rowsOf(files)), usedAt: ++uses }
    for (const { path } of files) {
      byPath.set(path, added)
      spent.delete(path)
    }
    bytes += added.bytes
    const oldestFirst = [...new Set(byPath.values())].sort((a, b) => a.usedAt - b.usedAt)
    for (const old of oldestFirst) {
      if (bytes <= maxBytes) return
      if (old !== added) drop(old)
    }
  }
  /** Builds filters for new files if they are needed. */
  const keepFresh = (isNeeded: (one: Fresh) => boolean): void => {
    const needed = fresh.filter(isNeeded)
    fresh = fresh.filter((one) => !needed.includes(one))
    for (const { table, files, keys } of needed) {
      const filter = createBloomFilter(keys.size)
      const print = fingerprintOf(table)
      for (const key of keys) filter.add(print(key))
      keep(table, files, filter)
    }
  }
  /** Builds a filter for those files for which it pays off. */
  const buildFor = async ({ table, files, keys }: KeyQuery): Promise<void> => {
    keepFresh((one) => one.files.some(({ path }) => files.some((file) => file.path === path)))
    const needed = filtersOf(files)
    for (const each of needed) each.usedAt = ++uses
    const unfiltered = files.filter(({ path }) => !byPath.has(path))
    const rows = rowsOf(unfiltered)
    if (rows === 0) return
    const perRow = costOf.row * Math.min(1, keys.length / costOf.manyKeys) + (costOf.key * keys.length) / rows
    for (const { path } of unfiltered) spent.set(path, (spent.get(path) ?? 0) + perRow)
    const chosen = fitting(
      unfiltered.filter(({ path }) => (spent.get(path) ?? 0) >= 1),
      // A new filter must not replace the filters that this query needs.
      maxBytes - [...needed].reduce((sum, each) => sum + each.bytes, 0),
    )
    if (chosen.length === 0) return
    const filter = createBloomFilter(rowsOf(chosen))
    await scan(table, chosen, filter)
    keep(table, chosen, filter)
  }
  return {
    async narrow(query) {
      if (!hasFingerprints(query.table)) return [query]
      // Runs one after another, so that concurrent queries for the same files read them once.
      const built = turn.then(() => buildFor(query))
      turn = built.catch(() => undefined)
      await built
      const { table, files, keys } = query
      const unfiltered = files.filter(({ path }) => !byPath.has(path))
      const left: Pick<KeyQuery, 'files' | 'keys'>[] = unfiltered.length === 0 ? [] : [{ files: unfiltered, keys }]
      const filters = filtersOf(files)
      if (filters.size === 0) return left
      const prints = keys.map(fingerprintOf(table))
      for (const each of filters) {
        const some = keys.filter((_, at) => each.filter.mayHave(prints[at]!))
        if (some.length > 0) left.push({ files: files.filter(({ path }) => byPath.get(path) === each), keys: some })
      }
      return left
    },
    learn(written, keys) {
      // A filter with only some of the keys of a file would give false negatives.
      fresh = [...keys()]
        .map(([table, own]) => ({ table, files: written.filter((file) => file.table === table.name), keys: own }))
        .filter(({ files, keys }) => keys.size > 0 && rowsOf(files) === keys.size)
        .filter(({ table, keys }) => hasFingerprints(table) && bloomFilterBytes(keys.size) <= maxBytes)
      keepFresh(({ table }) => filtered.has(table.name))
    },
    clear() {
      filtered.clear()
      fresh = []
      byPath.clear()
      spent.clear()
      bytes = 0
    },
  }
}

function rowsOf(files: readonly KnownFile[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0)
}

/** The first files that fit into a filter of `maxBytes` bytes together. Files that do not fit are skipped. */
function fitting(files: readonly KnownFile[], maxBytes: number): KnownFile[] {
  const taken: KnownFile[] = []
  let rows = 0
  for (const file of files) {
    if (bloomFilterBytes(rows + file.rows) > maxBytes) continue
    rows += file.rows
    taken.push(file)
  }
  return taken
}
