import { tables as declaredTables } from '../../../schemas/index.ts'
import type { CoverageRow, Inventory } from '../../catalog/catalog.ts'
import { catalogColumns } from '../../catalog/schema/catalog-columns.ts'
import type { Finding } from '../lake/finding.ts'
import { sequences } from '../lake/sequences.ts'
import { verifyLists } from './verify-lists.ts'

/** What the catalog says of rows, slices and files is one story. */
export function verifyCatalog(inventory: Inventory): Finding[] {
  return [
    ...verifyRowSums(inventory),
    ...verifyLists(inventory),
    ...verifySlices(inventory),
    ...verifyTogether(inventory),
    ...verifySources(inventory),
    ...verifyColumns(inventory),
    ...inventory.contradictions.map((each) => ({ kind: 'catalog.table' as const, ...each })),
  ]
}

/** Columns are named and typed as they are declared, by their ids; an older or newer version may have others. */
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
          message: `A column of ${name} is another one in the catalog than it is declared.`,
          table: name,
          expected: `${now.name} ${now.type}`,
          found: `${column.name} ${column.type}`,
        },
      ]
    })
  })
}

/** Each commit counts what it adds to a table for its streams: together that is what the files have. */
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
        message: `The files of ${name} have another number of rows than was committed.`,
        table: name,
        expected: `${inCommits} rows`,
        found: `${inFiles} rows`,
      },
    ]
  })
}

function verifySlices({ coverage }: Inventory): Finding[] {
  return coverage.flatMap((row, position) => {
    const { slice } = row
    const before = coverage[position - 1]
    if (!(slice.from < slice.to)) return [coverageFinding(row, 'A covered slice is empty or no range.')]
    if (before?.stream !== row.stream || before.table !== row.table || before.slice.to <= slice.from) return []
    return [coverageFinding(row, 'Two covered slices overlap.', `[${before.slice.from}, ${before.slice.to})`)]
  })
}

/**
 * Tables of a stream are read together, or later, as raw containers may be: none but those whose rows say for themselves what is there
 * covers more than the others.
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
          coverageFinding(row, `Of ${name} more is said to be covered than of any table that is read with it.`, beyond),
        ]
      })
    })
  })
}

/** The first coordinates of a slice that no other table of its stream covers. */
function uncoveredEnd({ slice }: CoverageRow, others: readonly CoverageRow[]): string | null {
  const sorted = others.map((other) => other.slice).sort((a, b) => a.from - b.from)
  let at = slice.from
  for (const { from, to } of sorted) {
    if (from > at) break
    at = Math.max(at, to)
  }
  return at >= slice.to ? null : `[${at}, ${slice.to})`
}

/** Whose rows a file may hold is covered. */
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
            message: `A file of ${name} holds rows of a slice that is not said to be covered.`,
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
