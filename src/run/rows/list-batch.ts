import { isDeepStrictEqual } from 'node:util'
import { type Column, identityColumns, type RowsOf, type Table, type Tables } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import { getOrCreate } from '../../lib/arrays.ts'
import type { Contradiction } from '../../lookup/lookup.ts'
import { keyText } from '../../lookup/row-identity.ts'
import type { Part } from '../../model.ts'
import { dataFilePath } from '../../store/data-file-path.ts'
import { type BatchRows, newRows, removeParts } from './commit-batch.ts'
import type { Run } from './lake-run.ts'

/**
 * Writes the rows of a list to parts, without duplicates and without rows that the lake already has. The lake has a row of a table with
 * versions when it equals its latest version.
 *
 * Rows are compared when all of them are there, files with files. Before its first file a batch compares the rows that wait.
 */
export type ListBatch = BatchRows & {
  /**
   * Takes the rows of a response. Rows with a key that the batch already has are dropped; they must not differ. Call `relieve` afterwards.
   */
  add(rows: RowsOf<Tables>): void
  holdsAll(rows: RowsOf<Tables>): Promise<boolean>
  /** Makes the parts durable and compares them with the lake, once. The batch then takes no more rows. Removes them when that fails. */
  compare(): Promise<void>
}

type Target = {
  readonly name: string
  readonly table: Table
  readonly keyOf: (row: object) => string
  readonly keys: ReturnType<typeof createRowMemory>
  /** The owners of rows by key, except 0. */
  readonly owners: Map<string, number>
  readonly add: (rows: readonly object[]) => void
  waiting: object[]
  /** Whether rows were written before the comparison, and their range. */
  isWritten: boolean
  range: RowRange | null
}

/** Rows that wait until they are written. Rows of nested tables are large. */
const mostWaiting = { flat: 8_192, nested: 1_024, raw: 1_024 } as const

type ListBatchOptions = {
  /** The rows are of an observation with these parts: they are compared with them, and versions when it is complete. */
  readonly staged?: readonly Part[]
  /** Part of the file names of the parts. Default: 0. */
  readonly position?: number
  /** The lake must not contradict the rows. */
  readonly isOfChain?: boolean
}

export function createListBatch(
  run: Pick<Run, 'catalog' | 'store' | 'thread' | 'runId' | 'nextPart' | 'lookup'>,
  tables: Tables,
  { staged, position = 0, isOfChain = false }: ListBatchOptions = {},
): ListBatch {
  const { store, runId, nextPart, lookup } = run
  /** The files that may contain keys of rows in a range. */
  const filesOf = async (table: Table, range: RowRange | null) => {
    if (staged === undefined)
      return run.catalog.tableFiles(table.name, { bounds: range === null ? [] : boundsOf(range) })
    const isCompared = table.history === 'observations'
    return { snapshotId: null, files: isCompared ? staged.filter((part) => part.table === table.name) : [] }
  }
  // Rows wait here too, so that their bytes are their own.
  const writer = newRows({ run, tables: Object.values(tables), from: position, keepsBytes: true })
  const targets = Object.entries(tables).map(([name, table]): Target => {
    const add = writer.adder(table.name)
    const [keys, owners] = [createRowMemory(table), new Map<string, number>()]
    return { name, table, keyOf: keyText(table), keys, owners, add, waiting: [], isWritten: false, range: null }
  })
  const counts = createRowCounts()
  const held = () => targets.reduce((sum, { keys }) => sum + keys.size, 0)
  let basis: number | null = null
  let inLake = 0
  let parts: readonly Part[] | null = null
  let isGivenOut = false

  const comparisonOf = async (table: Table, range: RowRange | null) => {
    const { snapshotId, files } = await filesOf(table, range)
    if (snapshotId !== null) basis = basis === null ? snapshotId : Math.min(basis, snapshotId)
    return { table, files: files.map(({ path }) => path), refuse: isOfChain ? contradictsLake(table) : undefined }
  }
  const foundIn = async (table: Table, rows: readonly object[]) =>
    lookup.findRows({ ...(await comparisonOf(table, rowRange(table, rows))), rows })

  const addKnown = ({ table, owners, keyOf }: Target, rows: readonly object[]): void => {
    inLake += rows.length
    for (const row of rows) counts.of(owners.size === 0 ? 0 : (owners.get(keyOf(row)) ?? 0), table.name).known++
  }
  const write = (target: Target): void => {
    target.range = rowRange(target.table, target.waiting, target.range)
    target.add(target.waiting.sort(byColumns(target.table.sortBy)))
    target.waiting = []
  }
  const compareWaiting = async (target: Target): Promise<void> => {
    const rows = target.waiting.slice()
    const fresh = new Set(rows)
    for (const { position: at, isKnown, observedAt } of await foundIn(target.table, rows)) {
      const row = rows[at]!
      if (isKnown) fresh.delete(row)
      else if (observedAt !== null) (row as { observed_at: bigint }).observed_at = observedAt
    }
    addKnown(
      target,
      rows.filter((row) => !fresh.has(row)),
    )
    // Not earlier: rows that were not compared must stay in the queue.
    target.waiting = [...fresh, ...target.waiting.slice(rows.length)]
  }
  /** Writes the waiting rows where enough wait, without those that the lake has as long as it has all of them. */
  const relieve = async (): Promise<void> => {
    for (const target of targets) {
      if (target.waiting.length < mostWaiting[target.table.rowGroup]) continue
      // No file is needed as long as the lake has all rows.
      if (!target.isWritten) await compareWaiting(target)
      if (target.waiting.length === 0) continue
      write(target)
      target.isWritten = true
    }
    await writer.relieve()
  }
  /** Leaves out the rows of written files that the lake has. */
  const compareFiles = async (target: Target, all: readonly Part[]): Promise<readonly Part[]> => {
    const { table, range } = target
    const newPath = ({ partition }: Part): string =>
      dataFilePath(table, partition, { from: position, runId, sequence: nextPart() })
    const written = all.filter((part) => part.table === table.name)
    const compared = await lookup.newRows({ ...(await comparisonOf(table, range)), parts: written, newPath })
    addKnown(target, compared.known)
    return compared.parts
  }
  const compare = async (): Promise<void> => {
    if (parts !== null) return
    let written: readonly Part[] = []
    const all: Part[] = []
    try {
      for (const target of targets) {
        if (!target.isWritten && target.waiting.length > 0) await compareWaiting(target)
        write(target)
      }
      written = await writer.finish()
      for (const target of targets) {
        const own = written.filter(({ table }) => table === target.table.name)
        all.push(...(target.isWritten ? await compareFiles(target, written) : own))
      }
      parts = all
    } catch (error) {
      await writer.abort()
      await removeParts(store, [...written, ...all])
      throw error
    }
  }

  const take = ({ table, keyOf, keys, owners, waiting }: Target, rows: readonly object[], owner: number): void => {
    keys.beginAnswer()
    for (const row of rows) {
      const key = keyOf(row)
      const isNew = keys.isNew(key, row)
      const count = counts.of(owner, table.name)
      count.read++
      if (isNew) waiting.push(row)
      else count.known++
      if (isNew && owner !== 0) owners.set(key, owner)
    }
  }

  return {
    add(rows) {
      for (const target of targets) take(target, rows[target.name] as readonly object[], 0)
    },
    adder: (name) => {
      const target = targets.find(({ table }) => table.name === name)
      return (rows, owner = 0) => (target === undefined ? undefined : take(target, rows, owner))
    },
    relieve,
    async holdsAll(rows) {
      for (const { name, table, keyOf, keys } of targets) {
        const missing = (rows[name] as readonly object[]).filter((row) => !keys.has(keyOf(row)))
        if (missing.length === 0) continue
        const found = await foundIn(table, missing)
        if (found.filter(({ isKnown }) => isKnown).length < missing.length) return false
      }
      return true
    },
    compare,
    async finish() {
      await compare()
      isGivenOut = true
      return parts!
    },
    async abort() {
      if (parts === null) await writer.abort()
      else if (!isGivenOut) await removeParts(store, parts)
    },
    rows: () => held() - inLake,
    held,
    basis: () => basis,
    async compareAgain() {
      basis = null
      const all: Part[] = []
      for (const target of targets) all.push(...(await compareFiles(target, parts ?? [])))
      parts = all
      return all
    },
    written: (owner) => new Map([...counts.by(owner)].map(([name, { read, known }]) => [name, read - known])),
    read: counts.by,
  }
}

function createRowCounts() {
  const counts = new Map<number, Map<string, { read: number; known: number }>>()
  const by = (owner: number) => getOrCreate(counts, owner, () => new Map())
  return { by, of: (owner: number, table: string) => getOrCreate(by(owner), table, () => ({ read: 0, known: 0 })) }
}

type Comparable = string | number | bigint | boolean | null

/** Ascending, nulls last. */
function byColumns(columns: readonly string[]): (a: object, b: object) => number {
  return (a, b) => {
    for (const column of columns) {
      const left = (a as Record<string, Comparable>)[column] ?? null
      const order = compareValues(left, (b as Record<string, Comparable>)[column] ?? null)
      if (order !== 0) return order
    }
    return 0
  }
}

function compareValues(left: Comparable, right: Comparable): number {
  if (left === right) return 0
  if (left === null) return 1
  if (right === null) return -1
  return left < right ? -1 : left > right ? 1 : 0
}

type Row = Readonly<Record<string, unknown>>

/** The rows of a batch by key, to detect duplicates and contradictions. */
export function createRowMemory(table: Table) {
  const lasting = new Map<string, number>()
  let answer = new Map<string, object>()
  const hashOf = (row: object): number => table.lasting.reduce((hash, name) => mixed(hash, (row as Row)[name]), 0)
  return {
    /**
     * Whether the key is new to the batch. Throws `DecodeError` for a contradiction: two rows with one key differ in any column within the same
     * response, or in a column that never changes between responses (lists and states change while they are read).
     */
    isNew(key: string, row: object): boolean {
      const hash = hashOf(row)
      const known = lasting.get(key)
      const inAnswer = answer.get(key)
      if (known !== undefined && known !== hash) throw contradiction(table, row, inAnswer)
      if (inAnswer !== undefined && !isDeepStrictEqual(inAnswer, row)) throw contradiction(table, row, inAnswer)
      lasting.set(key, hash)
      answer.set(key, row)
      return known === undefined
    },
    beginAnswer(): void {
      answer = new Map()
    },
    has: (key: string) => lasting.has(key),
    get size() {
      return lasting.size
    },
  }
}

/** FNV-1a over the text of a value and its length. */
function mixed(before: number, value: unknown): number {
  const text = String(value)
  let hash = before ^ 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return Math.imul(hash ^ text.length, 0x01000193)
}

function contradiction(table: Table, row: object, other: object | undefined): DecodeError {
  const key = table.key.map((column) => `${column}=${String((row as Row)[column])}`).join(' ')
  const names = other === undefined ? table.lasting : Object.keys(row)
  const differ = names.filter((name) => !isDeepStrictEqual((row as Row)[name], (other as Row | undefined)?.[name]))
  return new DecodeError(`The source returned two different items with the same key for the table ${table.name}.`, {
    code: 'decode.contradiction',
    details: { table: table.name, key, [other === undefined ? 'differs in one of' : 'differs in']: differ.join(', ') },
    hint: 'Nothing of this unit was written. The source has damaged data, or serves two chains. Run again later, or contact its operator.',
  })
}

/** The error for a row of a chain that contradicts the lake: two sources disagree. */
function contradictsLake(table: Table): (contradiction: Contradiction) => DecodeError {
  return ({ kind, stored, given }) => (kind === 'other row' ? otherRow : otherNumber)(table, stored, given)
}

function otherRow(table: Table, stored: object, given: object): DecodeError {
  const differ = table.lasting.filter((name) => textOf(table, name, stored) !== textOf(table, name, given))
  const [first] = differ
  const values = (of: object): string => (first === undefined ? '' : textOf(table, first, of).slice(0, 200))
  return new DecodeError(`The source returned another row of ${table.name} than the lake has under the same key.`, {
    code: 'decode.known-row',
    details: {
      table: table.name,
      key: table.key.map((name) => `${name}=${textOf(table, name, given)}`).join(' '),
      'differs in': differ.join(', '),
      'in the lake': values(stored),
      'from the source': values(given),
    },
    hint: 'Nothing of this unit was written. The source serves another chain or fork than the rows in the lake are from, or numbers its rows differently: compare both, and use the source that the lake was filled from, or another lake.',
  })
}

function textOf(table: Table, name: string, row: object): string {
  return keyText(table, [name])(row)
}

function otherNumber(table: Table, stored: object, given: object): DecodeError {
  const keyOf = keyText(table)
  return new DecodeError(`The source numbers the rows of ${table.name} differently than the lake.`, {
    code: 'decode.other-number',
    details: {
      table: table.name,
      column: table.numbered,
      key: keyOf(given),
      'key of the same row in the lake': keyOf(stored),
    },
    hint: 'Nothing of this unit was written. The answers to eth_getLogs and the receipts of this chain state different indices for one log, or two nodes do. Use the pipeline and the node that the lake was filled from, or another lake.',
  })
}

type RowRange = { readonly column: string; readonly min: bigint; readonly max: bigint }

function boundsOf({ column, min, max }: RowRange) {
  return [
    { column, operator: '>=', value: min },
    { column, operator: '<=', value: max },
  ]
}

/**
 * The range of the rows in the first integer or time column without nulls that identifies rows, or else of the sort order of a table without
 * versions: those of a row may differ in it. Files outside the range cannot contain the rows. Null when there is no such column, or no row.
 * `before`: the range of earlier rows, which it includes.
 */
function rowRange(table: Table, rows: readonly object[], before: RowRange | null = null): RowRange | null {
  const others = table.history === 'versions' ? [] : table.sortBy
  const column = [...identityColumns(table), ...others].find((name) => {
    const { type, nullable } = table.columns[name] as Column
    return ['int64', 'timestamp'].includes(type.kind) && !nullable
  })
  if (column === undefined) return null
  let range: { min: bigint; max: bigint } | null = before === null ? null : { min: before.min, max: before.max }
  for (const row of rows) {
    const number = BigInt((row as Record<string, number | bigint>)[column] as number | bigint)
    if (range === null) range = { min: number, max: number }
    else if (number < range.min) range.min = number
    else if (number > range.max) range.max = number
  }
  return range === null ? null : { column, ...range }
}
