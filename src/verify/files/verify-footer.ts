import { hasKeptBounds, type InventoryFile, type InventoryTable } from '../../catalog/catalog.ts'
import { type Field, fieldsOf, type Table } from '../../define/index.ts'
import type { FileColumnStats } from '../../model.ts'
import type { ColumnChunk, Footer } from '../../write/footer.ts'
import { leavesOf, statsOf } from '../../write/leaf-stats.ts'
import type { Finding } from '../lake/finding.ts'

/** Compares the footer of a file with the catalog: number of rows, columns and their statistics. */
export function verifyFooter(
  file: InventoryFile,
  { known, declared }: { readonly known: InventoryTable; readonly declared: Table },
  footer: Footer,
  stats: readonly FileColumnStats[],
): Finding[] {
  const place = { table: known.name, file: file.path, ...(file.network === null ? {} : { network: file.network }) }
  const findings: Finding[] = []
  if (footer.rows !== file.rows)
    findings.push({
      ...place,
      kind: 'file.footer',
      message: `The number of rows in a file of ${known.name} differs from the catalog.`,
      expected: `${file.rows} rows`,
      found: `${footer.rows} rows`,
    })
  if (footer.bytes !== file.footerBytes)
    findings.push({
      ...place,
      kind: 'file.footer',
      message: `The length of the metadata of a file of ${known.name} differs from the catalog.`,
      expected: `${file.footerBytes} bytes`,
      found: `${footer.bytes} bytes`,
    })
  const missing = missingColumns(known, footer, stats)
  if (missing !== null)
    return [
      ...findings,
      {
        ...place,
        kind: 'file.footer',
        message: `The columns of a file of ${known.name} differ from the catalog.`,
        ...missing,
      },
    ]
  for (const [field, chunks, said] of leafChunks(declared, footer, stats)) {
    const found = statsOf(field, chunks)
    const pairs: [string, string | number | null, string | number | null][] = [
      ['bytes', said.bytes, found.columnBytes],
      ['values', said.values, found.valueCount - found.nullCount],
      ['nulls', said.nulls, found.nullCount],
      ['least', said.min, found.min],
      ['greatest', said.max, found.max],
    ]
    const isKept = said.min !== null || said.max !== null || hasKeptBounds(found)
    const wrong = pairs.filter(
      ([name, expected, actual]) => expected !== actual && (isKept || !['least', 'greatest'].includes(name)),
    )
    if (wrong.length > 0)
      findings.push({
        ...place,
        kind: 'file.statistics',
        message: `The statistics of ${known.name}.${field.path} in the catalog differ from those of the file.`,
        expected: textOf(wrong.map(([name, expected]) => [name, expected])),
        found: textOf(wrong.map(([name, , actual]) => [name, actual])),
      })
  }
  return findings
}

type Leaf = readonly [Field, readonly ColumnChunk[], FileColumnStats]

/** Columns that are no longer declared are left out, because their type, which their bounds need, is unknown. */
function leafChunks(declared: Table, footer: Footer, stats: readonly FileColumnStats[]): Leaf[] {
  const fields = new Map(leavesOf(fieldsOf(declared)).map((field) => [field.id, field]))
  return stats.flatMap((said): Leaf[] => {
    const field = fields.get(said.columnId)
    const position = footer.leafFieldIds.indexOf(said.columnId)
    if (field === undefined || position < 0) return []
    return [[field, footer.rowGroups.flatMap((group) => group[position] ?? []), said]]
  })
}

/** Differences between the columns of the file and the columns with statistics in the catalog; null if there are none. */
function missingColumns(
  { columns }: InventoryTable,
  { leafFieldIds }: Footer,
  stats: readonly FileColumnStats[],
): { expected: string; found: string } | null {
  const inCatalog = [...new Set(stats.map(({ columnId }) => columnId))].sort((a, b) => a - b)
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

function textOf(facts: readonly (readonly [string, string | number | null])[]): string {
  return facts.map(([name, value]) => `${name} ${value ?? 'unknown'}`).join(', ')
}
