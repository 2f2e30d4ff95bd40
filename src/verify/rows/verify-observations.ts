import { observations } from '../../../schemas/observations.ts'
import type { Table } from '../../define/index.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'

const mostFindings = 100

/** Checks that rows have the id of an observation of the catalog, and belong to its network and pipeline. */
export async function verifyObservations(rows: LakeRows, table: Table): Promise<Checked> {
  const known = rows.inventory.observations
  if (known.size === 0) return { findings: [], remarks: [] }
  const isObservation = table === observations
  const found = await rows.engine.rows(
    `SELECT DISTINCT network, observation_id${isObservation ? ', pipeline' : ''} FROM ${rows.relation(table, rows.filesOf(table))}`,
  )
  const findings = found.flatMap((row): Finding[] => {
    const stream = rows.inventory.streams.get(known.get(row['observation_id']) ?? '')
    const place = {
      table: table.name,
      network: row['network'],
      key: { observation_id: row['observation_id'] },
    } as const
    if (stream === undefined)
      return [
        {
          ...place,
          kind: 'rows.orphan',
          message: `Rows of ${table.name} belong to no observation of the catalog.`,
          columns: ['observation_id'],
        },
      ]
    if (stream.network === row['network'] && (!isObservation || stream.pipeline === row['pipeline'])) return []
    return [
      {
        ...place,
        kind: 'rows.value',
        message: `The network or pipeline of rows of ${table.name} differs from their observation.`,
        columns: isObservation ? ['network', 'pipeline'] : ['network'],
        expected: stream.stream,
        found: [row['network'], row['pipeline']].filter(Boolean).join('/'),
      },
    ]
  })
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}
