import { ChainlakeError } from '../../errors.ts'
import { comparable, type DecodedRow } from '../lake/compare-rows.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { numberOf, placeOfRow } from '../lake/row-place.ts'
import type { RowProof } from './row-proofs.ts'

const mostFindings = 100

/** Checks that derived columns of the rows of a table equal their derivation. */
export async function verifyProof(rows: LakeRows, proof: RowProof): Promise<Checked> {
  const { table } = proof
  const findings: Finding[] = []
  for await (const some of rows.engine.tableRows(table, `FROM ${rows.relation(table, rows.filesOf(table))}`)) {
    for (const row of some as DecodedRow[]) {
      const wrong = contradictionOf(rows, proof, row)
      if (wrong === null) continue
      const height = numberOf(row['height'] ?? row['block_number'])
      findings.push({
        kind: 'rows.value',
        ...placeOfRow(rows.inventory, table, { ...row, height }),
        key: Object.fromEntries(table.key.map((name) => [name, comparable(row[name])])),
        columns: proof.columns,
        ...wrong,
      })
      if (findings.length >= mostFindings) return { findings, remarks: [] }
    }
  }
  return { findings, remarks: [] }
}

function contradictionOf(
  { inventory }: LakeRows,
  { table, derive }: RowProof,
  row: DecodedRow,
): Pick<Finding, 'message' | 'expected' | 'found'> | null {
  try {
    const derived = derive(row, inventory)
    const column = Object.keys(derived).find((name) => comparable(derived[name]) !== comparable(row[name]))
    if (column === undefined) return null
    return {
      message: `${column} of a row of ${table.name} does not follow from its other columns.`,
      expected: comparable(derived[column]).slice(0, 200),
      found: comparable(row[column]).slice(0, 200),
    }
  } catch (error) {
    if (!(error instanceof ChainlakeError || error instanceof SyntaxError)) throw error
    return { message: `A row of ${table.name} contradicts itself: ${error.message}` }
  }
}
