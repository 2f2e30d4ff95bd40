import type { Inventory, InventoryFile } from '../catalog/catalog.ts'
import { duckdbType, type Field, fieldsOf, parquetQuery, type Table } from '../define/index.ts'
import { sqlName, sqlText } from '../lib/text.ts'
import type { Slice } from '../model.ts'
import type { Store } from '../store/store.ts'
import { type Footer, leavesOf, readFooter, statsOf } from '../write/footer.ts'
import type { CheckEngine } from './lake.ts'
import type { Finding } from './report.ts'

type Located = Pick<Finding, 'bytes' | 'columns' | 'rowGroup' | 'height' | 'slice' | 'found'>

/** How many files are searched for the damage; the findings of further files name the whole file. */
const mostFiles = 20

/**
 * Locates the changed bytes of files that differ from what was committed. Only the file as a whole has a checksum, so the file itself must
 * show the place. If the metadata contradict the catalog, the metadata are wrong. Otherwise a column of a row group is wrong if it cannot be
 * decoded or contradicts its statistics. Otherwise the finding says that the damage is somewhere in the pages.
 */
export async function locateDamage(findings: readonly Finding[], readers: Readers): Promise<Finding[]> {
  const { store, inventory } = readers
  const files = new Map(
    inventory.tables.flatMap((known) => known.files.map((file) => [file.path, { file, name: known.name }] as const)),
  )
  const located: Finding[] = []
  let looked = 0
  for (const finding of findings) {
    const of = files.get(finding.file ?? '')
    const table = inventory.declared.find(({ name }) => name === of?.name)
    const isLocated = finding.kind !== 'file.hash' || finding.message.includes('bytes of another file')
    if (isLocated || of === undefined || table === undefined || looked++ >= mostFiles) {
      located.push(finding)
      continue
    }
    const isMetadata = findings.some(({ file, kind }) => file === finding.file && kind !== 'file.hash')
    const held = await store.hold([of.file.path])
    try {
      located.push({ ...finding, ...(await placeIn(of.file, table, isMetadata, finding, readers)) })
    } finally {
      await held.release()
    }
  }
  return located
}

type Readers = { readonly engine: CheckEngine; readonly store: Store; readonly inventory: Inventory }

async function placeIn(
  file: InventoryFile,
  table: Table,
  isMetadata: boolean,
  finding: Finding,
  { engine, store, inventory }: Readers,
): Promise<Located> {
  const metadata: Slice = { from: file.bytes - 8 - file.footerBytes, to: file.bytes }
  const located = (bytes: Slice, how: string): Located => ({ bytes, found: `${finding.found}: ${how}` })
  if (isMetadata) return located(metadata, 'its metadata (the end of the file) changed')
  const handle = await store.open(file.path)
  let footer: Footer
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    if (buffer.toString('latin1') !== 'PAR1')
      return located({ from: 0, to: 4 }, 'the file does not start with the Parquet magic number')
    footer = await readFooter(handle, file.bytes)
  } finally {
    await handle.close()
  }
  const wrong = isTiled(footer) ? await wrongChunks(engine, store.url(file.path), table, footer) : null
  if (wrong === null) return located(metadata, 'its metadata (the end of the file) give wrong positions of columns')
  const [first] = wrong
  const groups = [...new Set(wrong.map(({ group }) => group))]
  const chunks = first === undefined ? footer.rowGroups : groups.flatMap((group) => [footer.rowGroups[group] ?? []])
  const heights = heightsOf(table, chunks, footer, finding, inventory)
  if (first === undefined) {
    const how = 'the file can be read and does not contradict itself; the change is somewhere in these bytes'
    return { ...located({ from: 4, to: metadata.to }, how), ...heights }
  }
  const how = `${first.why} (or the metadata, bytes ${metadata.from} to ${metadata.to}, are wrong)`
  return {
    ...located(hull(wrong.map(({ bytes }) => bytes)), how),
    columns: [...new Set(wrong.map(({ column }) => column))],
    ...(groups.length === 1 ? { rowGroup: first.group } : {}),
    ...heights,
  }
}

/** Whether columns follow each other without gaps, starting right after the magic number. */
function isTiled({ rowGroups }: Footer): boolean {
  let at = 4
  for (const chunk of rowGroups.flat()) {
    if (chunk.from !== at) return false
    at += chunk.compressedBytes
  }
  return true
}

function hull(slices: readonly Slice[]): Slice {
  return { from: Math.min(...slices.map(({ from }) => from)), to: Math.max(...slices.map(({ to }) => to)) }
}

type WrongChunk = { readonly column: string; readonly group: number; readonly bytes: Slice; readonly why: string }

/** Columns of row groups that cannot be decoded, or that contradict their statistics. */
async function wrongChunks(engine: CheckEngine, url: string, table: Table, footer: Footer): Promise<WrongChunk[]> {
  const wrong: WrongChunk[] = []
  for (const field of fieldsOf(table)) {
    const leaves = leavesOf([field]).map(({ id }) => footer.leafFieldIds.indexOf(id))
    if (leaves.some((position) => position < 0)) continue
    let start = 0
    for (const [group, chunks] of footer.rowGroups.entries()) {
      const rows = footer.groupRows[group] ?? 0
      const own = leaves.flatMap((position) => chunks[position] ?? [])
      const why = await whyWrong(engine, parquetQuery(table, [url], rows), field, { start, rows, chunks: own })
      if (why !== null)
        wrong.push({
          column: field.name,
          group,
          bytes: hull(own.map((chunk) => ({ from: chunk.from, to: chunk.from + chunk.compressedBytes }))),
          why,
        })
      start += rows
    }
  }
  return wrong
}

/** Why the column of a row group with these chunks is wrong; null if it is not. Only a plain column has one chunk, with statistics of its rows. */
async function whyWrong(
  engine: CheckEngine,
  parquet: string,
  field: Field,
  { start, rows, chunks }: { start: number; rows: number; chunks: Footer['rowGroups'][number] },
): Promise<string | null> {
  const name = sqlName(field.name)
  const isPlain = field.children.length === 0 && chunks.length === 1
  const said = isPlain ? statsOf(field, chunks) : null
  const type = duckdbType(field.column.type)
  const isCut = ['text', 'blob'].includes(field.column.type.kind)
  const compared = (how: 'min' | 'max', text: string | null | undefined) => {
    if (text == null) return 'true'
    const value = type === 'BLOB' ? `unhex(${sqlText(text)})` : `CAST(${sqlText(text)} AS ${type})`
    return `coalesce(${how}(${name}) ${isCut ? (how === 'min' ? '>=' : '<=') : '='} ${value}, true)`
  }
  try {
    const [row] = await engine.rows(
      `SELECT count(*)::INTEGER AS n, count(${name})::INTEGER AS there, sum(hash(${name})::HUGEINT)::VARCHAR AS h,
         ${compared('min', said?.min)} AS least, ${compared('max', said?.max)} AS greatest
       FROM ${parquet} WHERE file_row_number >= ${start} AND file_row_number < ${start + rows}`,
    )
    const there = said === null ? null : said.valueCount - said.nullCount
    if (row?.['n'] !== rows) return `the row group has ${row?.['n']} rows, not ${rows}`
    if (there !== null && row['there'] !== there) return `the row group has ${row['there']} values, not ${there}`
    if (row['least'] !== true) return `the minimum in the row group is not ${said?.min}`
    if (row['greatest'] !== true) return `the maximum in the row group is not ${said?.max}`
    return null
  } catch (error) {
    return `the row group cannot be decoded: ${(error instanceof Error ? error.message : String(error)).split('\n')[0]}`
  }
}

/** Kinds of streams with slices that count the places of their rows. */
const counting = ['block', 'tx', 'vtx', 'evm-blocks', 'evm-logs']

/** The first height of row groups, and the slice of the stream that they hold. */
function heightsOf(
  table: Table,
  groups: Footer['rowGroups'],
  { leafFieldIds }: Footer,
  { stream }: Finding,
  { streams }: Pick<Inventory, 'streams'>,
): Pick<Located, 'height' | 'slice'> {
  const field = leavesOf(fieldsOf(table)).find(({ path }) =>
    ['height', 'block_number', 'container_index'].includes(path),
  )
  if (field === undefined) return {}
  const position = leafFieldIds.indexOf(field.id)
  const { min, max } = statsOf(
    field,
    groups.flatMap((chunks) => chunks[position] ?? []),
  )
  if (min === null || max === null) return {}
  const [low, high] = [Number(min), Number(max)]
  const kind = streams.get(stream ?? '')?.kind ?? ''
  // The index does not count the genesis block.
  const before = field.path === 'container_index' && kind === 'block' ? 1 : 0
  const isOfHeights = counting.includes(kind)
  return {
    ...(field.path === 'container_index' ? {} : { height: low }),
    ...(isOfHeights ? { slice: { from: low + before, to: high + before + 1 } } : {}),
  }
}
