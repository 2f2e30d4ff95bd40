import { tables as declaredTables } from '../../schemas/index.ts'
import type { CoverageRow, Inventory } from '../catalog/catalog.ts'
import { catalogColumns } from '../catalog/schema.ts'
import { clockTolerance } from '../define/index.ts'
import { sqlText } from '../lib/text.ts'
import { type Check, runCheck, words } from './checks.ts'
import { type LakeRows, loadTables } from './lake.ts'
import type { Finding, FindingKind } from './report.ts'
import { sequences } from './sequences.ts'

/** The coverage of lists by time that ends in the future: a run believed a wrong newest time, and later runs would not read these times. */
export function futureCoverage({ coverage, streams }: Pick<Inventory, 'coverage' | 'streams'>): CoverageRow[] {
  const latest = Date.now() / 1000 + clockTolerance
  return coverage.filter(({ stream, slice }) => streams.get(stream)?.walk === 'timeWindow' && slice.to > latest)
}

/** Loads what the catalog says of columns, files, slices and commits as tables, so that checks can join them. */
async function loadCounts({ engine, inventory }: LakeRows): Promise<void> {
  const { tables, coverage, written, declared, streams, lists } = inventory
  const future = new Set(futureCoverage(inventory))
  const observed = new Set(inventory.observations.values())
  const lasting = new Set(declared.flatMap(({ name, history }) => (history === 'rows' ? [name] : [])))
  const now = new Map(declaredTables.map((table) => [table.name, new Map(catalogColumns(table).map((c) => [c.id, c]))]))
  await loadTables(engine, {
    'catalog_columns, table_name, now, found': tables.flatMap(({ name, columns }) =>
      columns.flatMap((column) => {
        const own = now.get(name)?.get(column.id)
        return own === undefined ? [] : [[name, `${own.name} ${own.type}`, `${column.name} ${column.type}`]]
      }),
    ),
    'catalog_files, table_name, file, rows BIGINT, committed BIGINT': tables.flatMap(({ name, files }) =>
      files.map((file) => [name, file.path, file.rows, file.committedRows]),
    ),
    'catalog_sources, table_name, file, stream, first BIGINT, last BIGINT': tables.flatMap(({ name, files }) =>
      files.flatMap(({ path, sources }) =>
        sources.flatMap(({ stream, slice }) => (slice === null ? [] : [[name, path, stream, slice.from, slice.to]])),
      ),
    ),
    'catalog_counts, table_name, stream, rows BIGINT, network, first BIGINT, last BIGINT, is_future BOOLEAN': [
      ...coverage.map((row) => {
        const { table, stream, rows, network, slice } = row
        return [table, stream, rows, network, slice.from, slice.to, future.has(row)]
      }),
      ...written.map(({ table, stream, rows }) => [table, stream, rows, null, null, null, false]),
    ],
    'catalog_lists, table_name, stream, was_read BIGINT, was_new BIGINT, was_known BIGINT, passed BIGINT': lists.map(
      (each) => [each.table, each.stream, each.rowsRead, each.rowsNew, each.rowsKnown, each.progressItems],
    ),
    'catalog_fills, table_name, is_list BOOLEAN': [...streams.values()].flatMap(({ stream, walk, tables }) =>
      tables.map((table) => [table, walk !== 'range' && !observed.has(stream) && lasting.has(table)]),
    ),
  })
}

const slices = '(FROM catalog_counts WHERE first IS NOT NULL)'
const stored = '(SELECT table_name, stream, sum(rows) AS stored FROM catalog_counts GROUP BY ALL)'
const alone = sequences.map(({ table }) => sqlText(table.name)).join(', ')

/** What must hold in the catalog, by the message of what is wrong otherwise. */
const rules: readonly (readonly [kind: FindingKind, message: string, sql: string])[] = [
  // An older or newer version may have other columns.
  [
    'catalog.table',
    'A column of {table_name} has another name or type in the catalog than in its declaration.',
    'SELECT table_name, now AS expected, found FROM catalog_columns WHERE now <> found',
  ],
  // Each commit counts the rows that it adds to a table.
  [
    'catalog.rows',
    'The number of rows in the files of {table_name} differs from the number of rows that were committed.',
    `SELECT table_name, coalesce(committed, 0) || ' rows' AS expected, coalesce(there, 0) || ' rows' AS found
      FROM (SELECT table_name, sum(rows) AS committed FROM catalog_counts GROUP BY ALL)
        FULL JOIN (SELECT table_name, sum(rows) AS there FROM catalog_files GROUP BY ALL) USING (table_name)
      WHERE coalesce(committed, 0) <> coalesce(there, 0)`,
  ],
  // No other table could tell that rows of state or of state changes are gone.
  [
    'catalog.rows',
    'A file of {table_name} has another number of rows than its commit recorded.',
    `SELECT table_name, file, committed || ' rows' AS expected, rows || ' rows' AS found,
      CASE WHEN rows < committed THEN committed - rows END AS n FROM catalog_files WHERE committed <> rows`,
  ],
  // Each row of a list that was read was new or a duplicate.
  [
    'catalog.rows',
    'The number of rows of {table_name} that commits of a list read differs from the number that they stored or already knew.',
    `SELECT table_name, stream, was_read || ' rows' AS expected, was_new || ' new, ' || was_known || ' known' AS found,
      CASE WHEN was_read > was_new + was_known THEN was_read - was_new - was_known END AS n
      FROM catalog_lists WHERE was_read <> was_new + was_known`,
  ],
  [
    'catalog.rows',
    'The catalog no longer counts rows of {table_name} that commits of a list stored.',
    `SELECT table_name, stream, was_new || ' rows' AS expected, coalesce(stored, 0) || ' rows' AS found, was_new - coalesce(stored, 0) AS n
      FROM catalog_lists LEFT JOIN ${stored} USING (table_name, stream) WHERE was_new > coalesce(stored, 0)`,
  ],
  // A run that resumes after such progress never reads the rows. Each item has at least one row.
  [
    'catalog.rows',
    'The progress of a list counts items that no commit read: rows were lost.',
    `SELECT first(table_name) AS table_name, stream, sum(passed) || ' items' AS expected, sum(was_read) || ' rows read' AS found,
      sum(passed) - sum(was_read) AS n FROM catalog_lists GROUP BY stream HAVING sum(passed) > sum(was_read)`,
  ],
  // Tables that only lists fill, with rows that never change.
  [
    'catalog.rows',
    'The catalog counts more rows of {table_name} than the commits of the list recorded.',
    `SELECT table_name, stream, coalesce(was_new, 0) || ' rows' AS expected, stored || ' rows' AS found, stored - coalesce(was_new, 0) AS n
      FROM ${stored} LEFT JOIN catalog_lists USING (table_name, stream)
      WHERE stored > coalesce(was_new, 0)
        AND table_name IN (SELECT table_name FROM catalog_fills GROUP BY table_name HAVING bool_and(is_list))`,
  ],
  ['catalog.coverage', 'A covered slice is empty or reversed.', `FROM ${slices} WHERE first >= last`],
  [
    'catalog.coverage',
    'Two covered slices overlap.',
    `SELECT *, '[' || before.first || ', ' || before.last || ')' AS found
      FROM (SELECT *, lag({first: first, last: last}) OVER (PARTITION BY table_name, stream ORDER BY first, last) AS before FROM ${slices})
      WHERE before.last > first AND first < last`,
  ],
  /*
   * Tables of a stream are read together; some are read later, such as raw containers. Tables with one row for each coordinate are verified
   * by other checks.
   */
  [
    'catalog.coverage',
    'The catalog says that {table_name} covers more than any table that is read with it.',
    `WITH together AS (FROM ${slices} WHERE stream IN (SELECT stream FROM ${slices} GROUP BY stream HAVING count(DISTINCT table_name) > 1)),
      own AS (FROM together WHERE first < last AND table_name NOT IN (${alone})),
      ends AS (
        SELECT *, first AS place FROM own
        UNION ALL SELECT own.*, other.last FROM own JOIN together other ON other.stream = own.stream
          AND other.table_name <> own.table_name AND other.last > own.first AND other.last < own.last)
      SELECT table_name, network, stream, first, last, '[' || min(place) || ', ' || last || ')' AS found FROM ends ANTI JOIN together other
        ON other.stream = ends.stream AND other.table_name <> ends.table_name AND other.first <= place AND place < other.last
      GROUP BY table_name, network, stream, first, last`,
  ],
  [
    'catalog.coverage',
    'A covered slice ends in the future: a run believed a wrong newest time. `chainlake repair` removes it.',
    `FROM ${slices} WHERE is_future`,
  ],
  [
    'catalog.coverage',
    'The chains of a network are one slice, but the catalog lists other slices as covered.',
    `FROM ${slices} WHERE table_name = 'chains' AND (first <> 0 OR last <> 1)`,
  ],
  [
    'catalog.coverage',
    'A file of {table_name} holds rows of a slice that the catalog does not list as covered.',
    `FROM catalog_sources own ANTI JOIN ${slices} covered ON covered.table_name = own.table_name AND covered.stream = own.stream
      AND covered.first <= own.first AND own.last <= covered.last`,
  ],
]

/** Checks that the catalog is consistent about columns, rows, slices and files. */
export async function verifyCatalog(rows: LakeRows): Promise<Finding[]> {
  await loadCounts(rows)
  const findings: Finding[] = []
  for (const [kind, message, sql] of rules) {
    const check: Check = { what: 'the catalog', tables: [], sql, says: { [kind]: message } }
    findings.push(...(await runCheck(rows, check)).findings)
  }
  // The checks of rows need the memory.
  for (const name of words('columns files sources counts lists fills'))
    await rows.engine.rows(`DROP TABLE catalog_${name}`)
  const sources = new Map(
    rows.inventory.tables.flatMap(({ files }) => files.map(({ path, sources }) => [path, sources] as const)),
  )
  return [
    ...findings.map((each) => {
      const holds = each.stream === undefined ? sources.get(each.file ?? '') : undefined
      return holds === undefined ? each : { ...each, holds }
    }),
    ...rows.inventory.contradictions.map((each) => ({ kind: 'catalog.table' as const, ...each })),
  ]
}
