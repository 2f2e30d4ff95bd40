import { observations } from '../../../schemas/observations.ts'
import type { Table } from '../../define/index.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'

const mostFindings = 100

/** Checks that every row of an observation belongs to a subject that this observation has read completely. */
export async function verifySubjects(rows: LakeRows, table: Table): Promise<Checked> {
  const read = (of: Table) => rows.relation(of, rows.filesOf(of))
  const found = await rows.engine.rows(
    `SELECT network, subject, observation_id, count(*)::BIGINT::VARCHAR AS n FROM ${read(table)}
     ANTI JOIN ${read(observations)} o USING (network, subject, observation_id) GROUP BY ALL ORDER BY ALL LIMIT ${mostFindings}`,
  )
  const findings = found.map(
    ({ network, subject, observation_id, n }): Finding => ({
      kind: 'rows.orphan',
      message: `Rows of ${table.name} belong to a subject that ${observations.name} does not list for their observation.`,
      table: table.name,
      otherTable: observations.name,
      network,
      key: { subject, observation_id },
      columns: ['subject', 'observation_id'],
      rows: Number(n),
    }),
  )
  return { findings, remarks: [] }
}
