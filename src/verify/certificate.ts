import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pBlockTimeColumn, wrapperColumns } from '../../schemas/shared/block-columns.ts'
import type { CoverageRow, Inventory, InventoryFile } from '../catalog/catalog.ts'
import type { Columns, ColumnType, Table } from '../define/index.ts'
import { ConfigError, StorageError } from '../errors.ts'
import { replaceFile } from '../lib/files.ts'
import { sqlName } from '../lib/text.ts'
import type { Slice } from '../model.ts'
import { intersect, normalise } from '../plan/intervals.ts'
import { computedColumns, type LakeRows, type Row, tablesWithFiles } from './lake.ts'
import type { Certificate, Finding } from './report.ts'
import { coveredSequences } from './sequences.ts'

type StreamCertificate = Certificate['streams'][number]
type TableCertificate = Certificate['tables'][number]

/** The ids of how many heights are one text. */
const atOnce = 200_000

export async function certify(rows: LakeRows): Promise<Certificate> {
  const streams: StreamCertificate[] = []
  for (const covered of coveredSequences(rows.inventory)) {
    const certificate = await certifyStream(rows, covered)
    if (certificate !== null) streams.push(certificate)
  }
  const tables: TableCertificate[] = []
  for (const table of tablesWithFiles(rows))
    if (table.history === 'rows' && table.name !== 'observations') tables.push(...(await certifyTable(rows, table)))
  return { format: 5, streams, tables, files: checksumsOf(rows) }
}

function checksumsOf({ inventory }: LakeRows): Record<string, string> {
  const files = inventory.tables.flatMap((table) => table.files)
  return Object.fromEntries(files.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256]])))
}

/** Returns null if the sequence is not a chain of blocks or has none. */
async function certifyStream(
  rows: LakeRows,
  { sequence, row, condition, from, to, step }: ReturnType<typeof coveredSequences>[number],
): Promise<StreamCertificate | null> {
  const { table, link } = sequence
  if (link === undefined) return null
  const place = sqlName(sequence.place)
  const hash = createHash('sha256')
  const parts: Row[] = []
  for (let start = from; start < to; start += atOnce * step) {
    const end = Math.min(to, start + atOnce * step)
    const files = await rows.filesBetween(table, sequence.place, { from: start, to: end - 1 })
    const [found] = await rows.engine.rows(
      `SELECT string_agg(id || chr(10), '' ORDER BY place) AS ids, count(*)::INTEGER AS n, min(place) AS first, max(place) AS last,
         min_by(id, place) AS first_id, max_by(id, place) AS last_id
       FROM (SELECT ${place} AS place, ${sqlName(link.id)} AS id FROM ${rows.relation(table, files)}
         WHERE ${condition} AND ${place} >= ${start} AND ${place} < ${end} AND ${place} % ${step} = 0)`,
    )
    const { ids, ...part } = found!
    if (ids === null) continue
    hash.update(ids)
    parts.push(part)
  }
  const [first, last] = [parts[0], parts.at(-1)]
  if (first === undefined || last === undefined) return null
  return {
    network: row.network,
    stream: row.stream,
    table: table.name,
    from: Number(first['first']),
    to: Number(last['last']),
    count: parts.reduce((sum, { n }) => sum + n, 0),
    firstId: first['first_id'],
    lastId: last['last_id'],
    sha256: hash.digest('hex'),
  }
}

async function certifyTable(rows: LakeRows, table: Table): Promise<TableCertificate[]> {
  const half = (start: number) => `sum(('0x' || substr(h, ${start}, 16))::UBIGINT::HUGEINT)::VARCHAR`
  const found = await rows.engine.rows(
    `SELECT network, count(*)::VARCHAR AS n, ${half(1)} AS a, ${half(17)} AS b
     FROM (SELECT network, sha256(${canonicalRow(table)}) AS h FROM ${rows.relation(table, rows.filesOf(table))}) GROUP BY network ORDER BY network`,
  )
  return found.map(({ network, n, a, b }) => ({
    network,
    table: table.name,
    rows: Number(n),
    sha256: createHash('sha256').update(`${n} ${a} ${b}`).digest('hex'),
  }))
}

/** Columns that describe the node or the run, not the chain. */
const local = new Set([
  ...Object.keys(wrapperColumns),
  'accepted_at',
  'accepted_at_ns',
  'container_index',
  'observation_id',
  'observed_at',
  'version_hash',
])

/** The columns of a table that are equal in any two lakes of the same chains. */
function sharedColumns(table: Table): string[] {
  return Object.entries(table.columns).flatMap(([name, column]) => {
    // Before Banff, the time of a P-Chain block may come from its wrapper, which a node does not return by RPC.
    const isLocal = local.has(name) || column === pBlockTimeColumn.block_time || computedColumns(table).includes(name)
    return isLocal && !(table.key.includes(name) && name === 'container_index') ? [] : [name]
  })
}

/**
 * SQL that turns a row into one text. Columns are ordered by name, so that their position does not matter. Numbers are digits, times are
 * microseconds since 1970 UTC, bytes are hexadecimal. Separators and null are control characters that no text of a chain contains.
 */
function canonicalRow(table: Table): string {
  const columns: Columns = table.columns
  const values = sharedColumns(table)
    .sort()
    .map((name) => canonical(placeFree(table, name), columns[name]!.type, 0))
  return `concat_ws(chr(31), ${values.join(', ')})`
}

/** Indexes of legacy transactions and vertices differ between nodes and are left out. */
function placeFree({ name: table }: Table, name: string): string {
  return table === 'containers' && name === 'container_index'
    ? "CASE WHEN chain NOT LIKE '%/%' THEN container_index END"
    : sqlName(name)
}

function canonical(value: string, type: ColumnType, depth: number): string {
  return `coalesce(${textOf(value, type, depth)}, chr(1))`
}

function textOf(value: string, type: ColumnType, depth: number): string {
  switch (type.kind) {
    case 'text':
      return value
    case 'timestamp':
      return `epoch_us(${value})::VARCHAR`
    case 'blob':
      return `hex(${value})`
    case 'list': {
      const item = `x${depth}`
      const items = `list_transform(${value}, lambda ${item}: ${canonical(item, type.item.type, depth + 1)})`
      return `chr(2) || array_to_string(${items}, chr(${30 - depth}))`
    }
    case 'struct': {
      const fields = Object.entries(type.fields).sort(([a], [b]) => (a < b ? -1 : 1))
      const texts = fields.map(([name, field]) => canonical(`${value}.${sqlName(name)}`, field.type, depth + 1))
      return `CASE WHEN ${value} IS NULL THEN NULL ELSE concat_ws(chr(${30 - depth}), ${texts.join(', ')}) END`
    }
    default:
      return `${value}::VARCHAR`
  }
}

/** Writes a certificate to a file atomically, and replaces an earlier one. */
export async function writeCertificate(path: string, certificate: Certificate): Promise<void> {
  try {
    await replaceFile(path, `${JSON.stringify(certificate, null, 2)}\n`)
  } catch (cause) {
    throw new StorageError('The certificate cannot be written.', {
      code: 'storage.certificate',
      details: { path, reason: cause instanceof Error ? cause.message : String(cause) },
      hint: 'Give --certificate a file in an existing folder that you may write to.',
      cause,
    })
  }
}

/** Reads a certificate that `writeCertificate` wrote. Throws `ConfigError` for any other file. */
export async function readCertificate(path: string): Promise<Certificate> {
  try {
    const read = JSON.parse(await readFile(path, 'utf8')) as Partial<Certificate>
    const { format, streams, tables, files } = read
    if (format === 5 && Array.isArray(streams) && Array.isArray(tables) && typeof files === 'object' && files !== null)
      return read as Certificate
  } catch (cause) {
    throw notCertificate(path, cause)
  }
  throw notCertificate(path)
}

function notCertificate(path: string, cause?: unknown): ConfigError {
  return new ConfigError('The file is not a certificate that this version of chainlake can read.', {
    code: 'config.certificate',
    details: { path, ...(cause instanceof Error ? { reason: cause.message } : {}) },
    hint: 'Give a file that this version wrote with chainlake verify --certificate.',
    cause,
  })
}

/** Compares a lake with a certificate: chains by range and ids, tables by their rows. */
export function compareCertificates(own: Certificate, other: Certificate): Finding[] {
  const ofStreams = paired(own.streams, other.streams, ({ stream, table }) => `${stream} ${table}`)
  const ofTables = paired(own.tables, other.tables, ({ network, table }) => `${network} ${table}`)
  const blocks = ({ from, to, count, firstId, lastId, sha256 }: StreamCertificate) =>
    `${count} blocks ${from} to ${to}, ${firstId} to ${lastId}, SHA-256 ${sha256}`
  return [
    ...ofStreams.flatMap((both) => {
      const [[mine, ...more], [theirs, ...others]] = both
      const isOne = more.length + others.length === 0 && mine !== undefined && mine.firstId === theirs?.firstId
      const what = isOne && mine.to !== theirs.to ? 'covered range' : 'blocks'
      return difference(both, blocks, 'no blocks', ({ stream }) =>
        what === 'blocks'
          ? `The blocks of ${stream} differ from the certificate.`
          : `The covered range of ${stream} differs from the certificate.`,
      )
    }),
    ...ofTables.flatMap((both) =>
      difference(
        both,
        ({ rows, sha256 }) => `${rows} rows, SHA-256 ${sha256}`,
        'no rows',
        ({ table }) =>
          both.every(({ length }) => length > 0)
            ? `Rows of ${table} differ from the certificate.`
            : `Only one of the two lakes has rows of ${table}.`,
      ),
    ),
  ]
}

function difference<T extends Pick<StreamCertificate, 'network' | 'table'> & { readonly stream?: string }>(
  [own, other]: readonly [T[], T[]],
  text: (one: T) => string,
  none: string,
  message: (one: T) => string,
): Finding[] {
  const [found = '', expected = ''] = [own, other].map((all) => all.map(text).join('; ') || none)
  const [first] = [...own, ...other]
  if (found === expected || first === undefined) return []
  const { network, table, stream } = first
  const place = { network, table, ...(stream === undefined ? {} : { stream }) }
  return [{ kind: 'certificate.different', message: message(first), ...place, expected, found }]
}

function paired<T>(own: readonly T[], other: readonly T[], nameOf: (item: T) => string): [T[], T[]][] {
  const pairs = new Map<string, [T[], T[]]>()
  for (const [side, items] of [own, other].entries())
    for (const item of items) {
      const pair = pairs.get(nameOf(item)) ?? [[], []]
      pairs.set(nameOf(item), pair)
      pair[side]?.push(item)
    }
  return [...pairs.values()]
}

/**
 * Splits an inventory by the files that a certificate of the lake names. `recent` is what is new since then, as a separate inventory: each file
 * with its whole slices, and only the coverage of these slices. All lists and observations are in it, because their rows may belong to rows of
 * earlier files. `known` are the other files, which the certificate names with the same checksum.
 */
export function splitBy(inventory: Inventory, { files }: Pick<Certificate, 'files'>) {
  const isKnown = ({ path, sha256 }: InventoryFile) => sha256 !== null && files[path] === sha256
  const whole = new Set(inventory.tables.filter((table) => !table.files.every(isOfSlices)).map(({ name }) => name))
  const ranges = inventory.tables.filter(({ name }) => !whole.has(name)).flatMap((table) => table.files)
  /** The recent slices, by place: streams of one EVM chain share their block numbers, and the rows of one belong to rows of another. */
  const slices = new Map<string, readonly Slice[]>()
  const placeOf = (stream: string): string => {
    const origin = inventory.streams.get(stream)
    return origin?.kind?.startsWith('evm-') ? `${origin.network} ${origin.chain}` : stream
  }
  const within = (stream: string, slice: Slice) => intersect([slice], slices.get(placeOf(stream)) ?? [])
  const overlaps = ({ sources }: InventoryFile): boolean =>
    sources.some(({ stream, slice }) => slice !== null && within(stream, slice).length > 0)
  // The rows of a known file that overlaps a recent slice belong to those of the slice: its own slices are recent, too.
  let left = ranges.filter(isKnown)
  for (let added = ranges.filter((file) => !isKnown(file)); added.length > 0; ) {
    for (const { sources } of added)
      for (const { stream, slice } of sources)
        if (slice !== null) slices.set(placeOf(stream), normalise([...(slices.get(placeOf(stream)) ?? []), slice]))
    const touched = new Set(left.filter(overlaps))
    left = left.filter((file) => !touched.has(file))
    added = [...touched]
  }
  const isRecent = (table: string, file: InventoryFile) => whole.has(table) || !isKnown(file) || overlaps(file)
  // The catalog does not know the first and the last block of a part of a covered slice.
  const cut = (row: CoverageRow): CoverageRow[] =>
    within(row.stream, row.slice).map((slice) =>
      slice.from === row.slice.from && slice.to === row.slice.to ? row : { ...row, slice, ends: null, blockEnds: null },
    )
  const part = (wanted: boolean): Inventory['tables'] =>
    inventory.tables.flatMap((table) => {
      const files = table.files.filter((file) => isRecent(table.name, file) === wanted)
      return files.length === 0 ? [] : [{ ...table, files }]
    })
  const coverage = inventory.coverage.flatMap((row) => (whole.has(row.table) ? [row] : cut(row)))
  return { recent: { ...inventory, tables: part(true), coverage }, known: part(false) }
}

function isOfSlices({ sources }: InventoryFile): boolean {
  return sources.length > 0 && sources.every(({ slice }) => slice !== null)
}
