import { evmTraces } from '../../../schemas/evm-traces.ts'
import type { InventoryFile } from '../../catalog/catalog.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { rowParts } from '../lake/row-parts.ts'
import { placeOfRow } from '../lake/row-place.ts'

/** How many rows are checked at once. */
const rowsAtOnce = 1_000_000
const mostFindings = 100

/**
 * Checks that the calls of each transaction are one tree: each call has the position, depth and number of calls that the paths of the others
 * say, and is reverted if a call around it is.
 */
export async function verifyTraces(rows: LakeRows): Promise<Checked> {
  const findings: Finding[] = []
  for (const part of await rowParts(rows, [evmTraces], { place: 'block_number', rowsAtOnce })) {
    const files = await part.filesOf(evmTraces)
    const source = `FROM ${rows.relation(evmTraces, files)} WHERE ${part.condition([transaction])}`
    for (const row of await rows.engine.rows(treeQuery(source))) findings.push(traceFinding(rows, files, row))
    if (findings.length >= mostFindings) break
  }
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}

const transaction = 'network, chain_id, block_number, transaction_index'

/** Rows with the first of their columns that contradicts the tree, and the value that the tree says. */
function treeQuery(source: string): string {
  const same = (other: string, address: string) =>
    `(own.network, own.chain_id, own.block_number, own.transaction_index, own.${address}) = (${other}.network, ${other}.chain_id, ${other}.block_number, ${other}.transaction_index, ${other}.trace_address)`
  return `WITH calls AS (
      SELECT ${transaction}, trace_index, trace_address, depth, reverted, error, child_count, file_index,
        trace_address = '' AS is_first,
        CASE WHEN trace_address = '' THEN NULL ELSE regexp_replace(trace_address, '\\.?[^.]*$', '') END AS parent,
        string_split(trace_address, '.')[-1] AS position,
        CASE WHEN trace_address = '' THEN 0 ELSE len(string_split(trace_address, '.')) END AS steps,
        list_transform(string_split(trace_address, '.'), lambda step : try_cast(step AS BIGINT)) AS path
      ${source}),
    ranked AS (
      SELECT *, row_number() OVER (PARTITION BY ${transaction} ORDER BY NOT is_first, path) - 1 AS rank,
        row_number() OVER (PARTITION BY ${transaction}, parent ORDER BY path) - 1 AS sibling
      FROM calls),
    children AS (
      SELECT ${transaction}, parent AS trace_address, count(*) AS n FROM calls WHERE NOT is_first GROUP BY ALL),
    compared AS (
      SELECT own.*, coalesce(children.n, 0) AS n, own.error IS NOT NULL OR coalesce(around.reverted, false) AS fails,
        own.is_first OR (own.position = own.sibling::VARCHAR AND around.trace_address IS NOT NULL) AS is_placed
      FROM ranked own LEFT JOIN children ON ${same('children', 'trace_address')}
        LEFT JOIN calls around ON ${same('around', 'parent')})
    SELECT ${transaction.replaceAll(/(block_number|transaction_index)/g, '$1::VARCHAR AS $1')}, trace_index::VARCHAR AS trace_index,
      file_index::INTEGER AS file_index,
      CASE WHEN NOT is_placed THEN 'trace_address' WHEN trace_index <> rank THEN 'trace_index' WHEN depth <> steps THEN 'depth'
        WHEN child_count <> n THEN 'child_count' ELSE 'reverted' END AS name,
      CASE name WHEN 'trace_address' THEN trace_address WHEN 'trace_index' THEN trace_index::VARCHAR WHEN 'depth' THEN depth::VARCHAR
        WHEN 'child_count' THEN child_count::VARCHAR ELSE reverted::VARCHAR END AS found,
      CASE name WHEN 'trace_index' THEN rank::VARCHAR WHEN 'depth' THEN steps::VARCHAR WHEN 'child_count' THEN n::VARCHAR
        WHEN 'reverted' THEN fails::VARCHAR ELSE 'a path below another call, in order' END AS expected
    FROM compared
    WHERE NOT is_placed OR trace_index <> rank OR depth <> steps OR child_count <> n OR reverted <> fails
    LIMIT ${mostFindings}`
}

function traceFinding(rows: LakeRows, files: readonly InventoryFile[], row: AnswerRow): Finding {
  const file = files[Number(row['file_index'])]?.path
  return {
    kind: 'rows.value',
    message: `${row['name']} of a row of ${evmTraces.name} contradicts the other calls of its transaction.`,
    ...placeOfRow(rows.inventory, evmTraces, row),
    ...(file === undefined ? {} : { file }),
    columns: [row['name']],
    key: Object.fromEntries(evmTraces.key.map((name) => [name, String(row[name])])),
    expected: row['expected'],
    found: row['found'],
  }
}
