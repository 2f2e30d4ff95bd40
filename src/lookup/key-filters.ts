import type { Table } from '../define/index.ts'
import { type BloomFilter, bloomFilterBytes, createBloomFilter } from './bloom-filter.ts'
import { fingerprintOf, hasFingerprints } from './fingerprint.ts'

/** A file of a table by its path relative to the lake, with `/`. */
export type KnownFile = { readonly path: string; readonly rows: number }

/** One that was just written. */
export type WrittenFile = KnownFile & { readonly table: string }

export type AskedKeys = {
  readonly table: Table
  readonly files: readonly KnownFile[]
  readonly keys: readonly string[]
}

/** Puts the fingerprints of all rows of files into a filter. */
export type ScanKeys = (table: Table, files: readonly KnownFile[], filter: BloomFilter) => Promise<void>

/**
 * What is known of the keys in files without reading these again: files never change, so what was learned of one stays true, whoever wrote
 * it. A filter is made of files that were asked for so much that reading all of their keys once costs no more than what was spent on
 * them; filters take a bounded amount of memory, and those that were used longest ago go first.
 */
export type KeyFilters = {
  /** What is left to compare: each key that a file may hold, with the files that may hold it. */
  narrow(asked: AskedKeys): Promise<Pick<AskedKeys, 'files' | 'keys'>[]>
  /**
   * Takes the keys of files that were just written: those of a table that has filters at once, others when these files are the next that is
   * asked for. `keys` gives all keys of the rows that were written, by table; they must not change any more.
   */
  learn(written: readonly WrittenFile[], keys: () => ReadonlyMap<Table, ReadonlySet<string>>): void
  /** Forgets everything. */
  clear(): void
}

/** A filter over some files of a table. */
type Segment = {
  readonly filter: BloomFilter
  readonly files: readonly KnownFile[]
  readonly bytes: number
  usedAt: number
}

/** What was just written, whose keys may yet be asked for. */
type Fresh = { readonly table: Table; readonly files: readonly KnownFile[]; readonly keys: ReadonlySet<string> }

/** Beside what a run takes anyway: for eleven million keys. */
const usualBytes = 32 * 1024 * 1024

/**
 * What a comparison costs, measured in rows whose keys are read for a filter: for each row of the files, which few keys seldom make all be
 * read, and for each key.
 */
const costOf = { row: 0.2, key: 1, manyKeys: 1024 } as const

export function createKeyFilters(scan: ScanKeys, mostBytes = usualBytes): KeyFilters {
  const segmentOf = new Map<string, Segment>()
  /** By path: what comparisons with a file without a filter have cost, per row of it. */
  const spent = new Map<string, number>()
  const filtered = new Set<string>()
  /** Of the last commit, no more: keys are large. */
  let fresh: readonly Fresh[] = []
  let bytes = 0
  let uses = 0
  let turn: Promise<unknown> = Promise.resolve()

  const segmentsOf = (files: readonly KnownFile[]): Set<Segment> =>
    new Set(files.flatMap(({ path }) => segmentOf.get(path) ?? []))
  const drop = (segment: Segment): void => {
    for (const { path } of segment.files) segmentOf.delete(path)
    bytes -= segment.bytes
  }
  const keep = (table: Table, files: readonly KnownFile[], filter: BloomFilter): void => {
    filtered.add(table.name)
    const segment = { filter, files, bytes: bloomFilterBytes(rowsOf(files)), usedAt: ++uses }
    for (const { path } of files) {
      segmentOf.set(path, segment)
      spent.delete(path)
    }
    bytes += segment.bytes
    const oldestFirst = [...new Set(segmentOf.values())].sort((a, b) => a.usedAt - b.usedAt)
    for (const old of oldestFirst) {
      if (bytes <= mostBytes) return
      if (old !== segment) drop(old)
    }
  }
  /** Makes filters of what was just written where they are needed. */
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
  /** Makes a filter of those files for which it pays. */
  const makeFor = async ({ table, files, keys }: AskedKeys): Promise<void> => {
    keepFresh((one) => one.files.some(({ path }) => files.some((file) => file.path === path)))
    const needed = segmentsOf(files)
    for (const segment of needed) segment.usedAt = ++uses
    const lacking = files.filter(({ path }) => !segmentOf.has(path))
    const rows = rowsOf(lacking)
    if (rows === 0) return
    const perRow = costOf.row * Math.min(1, keys.length / costOf.manyKeys) + (costOf.key * keys.length) / rows
    for (const { path } of lacking) spent.set(path, (spent.get(path) ?? 0) + perRow)
    const chosen = within(
      lacking.filter(({ path }) => (spent.get(path) ?? 0) >= 1),
      // Those that this question needs, too, shall not go for others of it.
      mostBytes - [...needed].reduce((sum, segment) => sum + segment.bytes, 0),
    )
    if (chosen.length === 0) return
    const filter = createBloomFilter(rowsOf(chosen))
    await scan(table, chosen, filter)
    keep(table, chosen, filter)
  }
  return {
    async narrow(asked) {
      if (!hasFingerprints(asked.table)) return [asked]
      // One after another: files that are asked for twice at once are read once.
      const made = turn.then(() => makeFor(asked))
      turn = made.catch(() => undefined)
      await made
      const { table, files, keys } = asked
      const open = files.filter(({ path }) => !segmentOf.has(path))
      const left: Pick<AskedKeys, 'files' | 'keys'>[] = open.length === 0 ? [] : [{ files: open, keys }]
      const segments = segmentsOf(files)
      if (segments.size === 0) return left
      const prints = keys.map(fingerprintOf(table))
      for (const segment of segments) {
        const some = keys.filter((_, at) => segment.filter.mayHave(prints[at]!))
        if (some.length > 0)
          left.push({ files: files.filter(({ path }) => segmentOf.get(path) === segment), keys: some })
      }
      return left
    },
    learn(written, keys) {
      // Files of which only some keys are known would be taken for files without the others.
      fresh = [...keys()]
        .map(([table, own]) => ({ table, files: written.filter((file) => file.table === table.name), keys: own }))
        .filter(({ files, keys }) => keys.size > 0 && rowsOf(files) === keys.size)
        .filter(({ table, keys }) => hasFingerprints(table) && bloomFilterBytes(keys.size) <= mostBytes)
      keepFresh(({ table }) => filtered.has(table.name))
    },
    clear() {
      filtered.clear()
      fresh = []
      segmentOf.clear()
      spent.clear()
      bytes = 0
    },
  }
}

function rowsOf(files: readonly KnownFile[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0)
}

/** As many of the files, from the first one on, as a filter of so many bytes takes. */
function within(files: readonly KnownFile[], mostBytes: number): KnownFile[] {
  const taken: KnownFile[] = []
  let rows = 0
  for (const file of files) {
    if (bloomFilterBytes(rows + file.rows) > mostBytes) continue
    rows += file.rows
    taken.push(file)
  }
  return taken
}
