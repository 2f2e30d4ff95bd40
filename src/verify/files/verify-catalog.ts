import { tables as declaredTables } from '../../../schemas/index.ts'
import type { CoverageRow, Inventory } from '../../catalog/catalog.ts'
import { catalogColumns } from '../../catalog/schema/catalog-columns.ts'
import { clockTolerance } from '../../define/index.ts'
import type { Finding } from '../lake/finding.ts'
import { sequences } from '../lake/sequences.ts'
import { verifyLists } from './verify-lists.ts'

/** Checks that the catalog is consistent about rows, slices and files. */
export function verifyCatalog(inventory: Inventory): Finding[] {
  return [
    ...verifyRowSums(inventory),
    ...verifyRowsOfFiles(inventory),
    ...verifyLists(inventory),
    ...verifySlices(inventory),
    ...verifyTogether(inventory),
    ...futureCoverage(inventory).map((row) =>
      coverageFinding(
        row,
        'A covered slice ends in the future: a run believed a wrong newest time. `chainlake repair` removes it.',
      ),
    ),
    ...verifySources(inventory),
    ...verifyColumns(inventory),
    ...inventory.contradictions.map((each) => ({ kind: 'catalog.table' as const, ...each })),
  ]
}

/** Compares names and types of columns with their declaration, by id. An older or newer version may have other columns. */
function verifyColumns({ tables }: Inventory): Finding[] {
  return tables.flatMap(({ name, columns }) => {
    const table = declaredTables.find((one) => one.name === name)
    const declared = new Map(table === undefined ? [] : catalogColumns(table).map((column) => [column.id, column]))
    return columns.flatMap((column) => {
      const now = declared.get(column.id)
      if (now === undefined || (now.name === column.name && now.type === column.type)) return []
      return [
        {
          kind: 'catalog.table' as const,
          message: `A column of ${name} has another name or type in the catalog than in its declaration.`,
          table: name,
          expected: `${now.name} ${now.type}`,
          found: `${column.name} ${column.type}`,
        },
      ]
    })
  })
}

/** Each commit counts the rows that it adds to a table. The sum must equal the number of rows in the files. */
function verifyRowSums({ tables, coverage, written }: Inventory): Finding[] {
  const committed = new Map<string, number>()
  for (const { table, rows } of [...coverage, ...written]) committed.set(table, (committed.get(table) ?? 0) + rows)
  return tables.flatMap(({ name, files }) => {
    const inFiles = files.reduce((sum, { rows }) => sum + rows, 0)
    const inCommits = committed.get(name) ?? 0
    if (inFiles === inCommits) return []
    return [
      {
        kind: 'catalog.rows' as const,
        message: `The number of rows in the files of ${name} differs from the number of rows that were committed.`,
        table: name,
        expected: `${inCommits} rows`,
        found: `${inFiles} rows`,
      },
    ]
  })
}

/** Each commit records how many rows each of its files has: no other table could tell that rows of state or of state changes are gone. */
function verifyRowsOfFiles({ tables }: Inventory): Finding[] {
  return tables.flatMap(({ name, files }) =>
    files.flatMap(({ path, rows, committedRows, sources }) => {
      if (committedRows === null || committedRows === rows) return []
      return [
        {
          kind: 'catalog.rows' as const,
          message: `A file of ${name} has another number of rows than its commit recorded.`,
          table: name,
          file: path,
          holds: sources,
          expected: `${committedRows} rows`,
          found: `${rows} rows`,
          ...(rows < committedRows ? { rows: committedRows - rows } : {}),
        },
      ]
    }),
  )
}

function verifySlices({ coverage }: Inventory): Finding[] {
  return coverage.flatMap((row, position) => {
    const { slice } = row
    const before = coverage[position - 1]
    if (!(slice.from < slice.to)) return [coverageFinding(row, 'A covered slice is empty or reversed.')]
    if (before?.stream !== row.stream || before.table !== row.table || before.slice.to <= slice.from) return []
    return [coverageFinding(row, 'Two covered slices overlap.', `[${before.slice.from}, ${before.slice.to})`)]
  })
}

/**
 * Tables of a stream are read together; some are read later, such as raw containers. No table may cover more than the others together,
 * except tables with one row for each coordinate, which other checks verify.
 */
function verifyTogether({ coverage }: Inventory): Finding[] {
  const streams = new Map<string, Map<string, CoverageRow[]>>()
  for (const row of coverage) {
    const tables = streams.get(row.stream) ?? new Map<string, CoverageRow[]>()
    streams.set(row.stream, tables)
    tables.set(row.table, [...(tables.get(row.table) ?? []), row])
  }
  return [...streams.values()].flatMap((tables) => {
    if (tables.size === 1) return []
    return [...tables].flatMap(([name, rows]) => {
      if (sequences.some(({ table }) => table.name === name)) return []
      const others = [...tables].filter(([other]) => other !== name).flatMap(([, own]) => own)
      return rows.flatMap((row) => {
        const beyond = uncoveredEnd(row, others)
        if (beyond === null) return []
        return [
          coverageFinding(
            row,
            `The catalog says that ${name} covers more than any table that is read with it.`,
            beyond,
          ),
        ]
      })
    })
  })
}

/** The end of a slice that no other table of its stream covers; null when the others cover all of it. */
function uncoveredEnd({ slice }: CoverageRow, others: readonly CoverageRow[]): string | null {
  const sorted = others.map((other) => other.slice).sort((a, b) => a.from - b.from)
  let at = slice.from
  for (const { from, to } of sorted) {
    if (from > at) break
    at = Math.max(at, to)
  }
  return at >= slice.to ? null : `[${at}, ${slice.to})`
}

/** The slices that a file holds rows of must be covered. */
function verifySources({ tables, coverage }: Inventory): Finding[] {
  const covered = new Map<string, CoverageRow[]>()
  for (const row of coverage) {
    const id = `${row.table} ${row.stream}`
    covered.set(id, [...(covered.get(id) ?? []), row])
  }
  return tables.flatMap(({ name, files }) =>
    files.flatMap((file) =>
      file.sources.flatMap(({ stream, slice }) => {
        if (slice === null) return []
        const own = covered.get(`${name} ${stream}`) ?? []
        if (own.some((row) => row.slice.from <= slice.from && slice.to <= row.slice.to)) return []
        return [
          {
            kind: 'catalog.coverage' as const,
            message: `A file of ${name} holds rows of a slice that the catalog does not list as covered.`,
            table: name,
            file: file.path,
            stream,
            slice,
          },
        ]
      }),
    ),
  )
}

function coverageFinding({ network, stream, table, slice }: CoverageRow, message: string, found?: string): Finding {
  return { kind: 'catalog.coverage', message, network, stream, table, slice, ...(found === undefined ? {} : { found }) }
}

/** The coverage of lists by time that ends in the future: a run believed a wrong newest time, and later runs would not read these times. */
export function futureCoverage({ coverage, streams }: Pick<Inventory, 'coverage' | 'streams'>): CoverageRow[] {
  const latest = Date.now() / 1000 + clockTolerance
  return coverage.filter(({ stream, slice }) => streams.get(stream)?.walk === 'timeWindow' && slice.to > latest)
}
