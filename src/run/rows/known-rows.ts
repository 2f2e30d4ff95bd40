import type { Table } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import { keyText, rowDigest } from '../../lookup/key-text.ts'
import type { KnownFile, Lookup, Version } from '../../lookup/lookup.ts'

/** A row with its key (see `keyText`). */
type KeyedRow = { readonly key: string; readonly row: object }

type VersionRow = { readonly version_hash: string; observed_at: bigint }

/** Finds rows in files of the lake. */
export type FindKnown = <R extends KeyedRow>(
  lookup: Lookup,
  table: Table,
  files: readonly KnownFile[],
  rows: readonly R[],
) => Promise<ReadonlySet<R>>

/**
 * The rows that the files hold. In a table with versions, these are the rows that equal their latest version; every other row gets a later
 * time than its latest version, even if the clock was set back: versions are in the order of their commits.
 */
export const knownRows: FindKnown = async (lookup, table, files, rows) => {
  const known = await lookup.knownKeys({ table, files, keys: rows.map(({ key }) => key) })
  if (table.history !== 'versions') return new Set(rows.filter(({ key }) => known.has(key)))
  const paths = files.map(({ path }) => path)
  const latest = await lookup.latestVersions({ table, files: paths, keys: [...known] })
  return new Set(rows.filter(({ key, row }) => isLatest(row as VersionRow, latest.get(key))))
}

function isLatest(row: VersionRow, latest: Version | undefined): boolean {
  if (latest === undefined) return false
  if (latest.hash === row.version_hash) return true
  if (latest.observedAt >= row.observed_at) row.observed_at = latest.observedAt + 1n
  return false
}

/**
 * The rows of a chain that the files hold. Throws `DecodeError` if the lake has another row under the same key, or the same row under
 * another number: two sources disagree.
 */
export const knownChainRows: FindKnown = async (lookup, table, files, rows) => {
  const { lasting } = table
  const known = await lookup.knownDigests({ table, files, keys: rows.map(({ key }) => key), of: lasting })
  const digestOf = rowDigest(table, lasting)
  const found = new Set(rows.filter(({ key }) => known.has(key)))
  for (const each of found)
    if (lasting.length > 0 && known.get(each.key) !== digestOf(each.row))
      throw await otherRow(lookup, table, files, each)
  if (table.numbered !== null && found.size < rows.length) await refuseOtherNumbers(lookup, table, files, rows, found)
  return found
}

async function refuseOtherNumbers<R extends KeyedRow>(
  lookup: Lookup,
  table: Table,
  files: readonly KnownFile[],
  rows: readonly R[],
  known: ReadonlySet<R>,
): Promise<void> {
  const by = [...table.key.filter((name) => name !== table.numbered), ...table.lasting.filter(isRequiredText(table))]
  const textOf = keyText(table, by)
  const fresh = rows.filter((each) => !known.has(each)).map((each) => ({ ...each, text: textOf(each.row) }))
  const texts = [...new Set(fresh.map(({ text }) => text))]
  const keys = new Set(rows.map(({ key }) => key))
  const stored = await lookup.keysBy({ table, files, by, texts })
  const suspects = stored.filter(({ key }) => !keys.has(key))
  // Most fresh rows are of other contracts than those that the lake has: the other values are seldom read.
  if (suspects.length === 0) return
  const { lasting } = table
  const digests = await lookup.knownDigests({ table, files, keys: suspects.map(({ key }) => key), of: lasting })
  const others = new Map(suspects.map(({ key, text }) => [`${text} ${digests.get(key)}`, key]))
  const digestOf = rowDigest(table, lasting)
  for (const { key, row, text } of fresh) {
    const other = others.get(`${text} ${digestOf(row)}`)
    if (other !== undefined) throw otherNumber(table, key, other)
  }
}

function isRequiredText({ columns }: Table): (name: string) => boolean {
  return (name) => columns[name]?.type.kind === 'text' && !columns[name].nullable
}

async function otherRow(
  lookup: Lookup,
  table: Table,
  files: readonly KnownFile[],
  { key, row }: KeyedRow,
): Promise<DecodeError> {
  const [stored = {}] = await lookup.keyedRows({ table, files: files.map(({ path }) => path), keys: [key] })
  const differ = table.lasting.filter((name) => textOf(table, name, stored) !== textOf(table, name, row))
  const [first] = differ
  const values = (of: object): string => (first === undefined ? '' : textOf(table, first, of).slice(0, 200))
  return new DecodeError(`The source returned another row of ${table.name} than the lake has under the same key.`, {
    code: 'decode.known-row',
    details: {
      table: table.name,
      key: table.key.map((name) => `${name}=${textOf(table, name, row)}`).join(' '),
      'differs in': differ.join(', '),
      'in the lake': values(stored),
      'from the source': values(row),
    },
    hint: 'Nothing of this unit was written. The source serves another chain or fork than the rows in the lake are from, or numbers its rows differently: compare both, and use the source that the lake was filled from, or another lake.',
  })
}

function textOf(table: Table, name: string, row: object): string {
  return keyText(table, [name])(row)
}

function otherNumber(table: Table, key: string, other: string): DecodeError {
  return new DecodeError(`The source numbers the rows of ${table.name} differently than the lake.`, {
    code: 'decode.other-number',
    details: { table: table.name, column: table.numbered, key, 'key of the same row in the lake': other },
    hint: 'Nothing of this unit was written. The answers to eth_getLogs and the receipts of this chain state different indices for one log, or two nodes do. Use the pipeline and the node that the lake was filled from, or another lake.',
  })
}
