import { identity, type RowOf, t } from '../src/define/index.ts'
import { healthReportColumns } from './shared/health-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeHealth = table({
  name: 'node_health',
  comment: 'One row per check of a report on the health of a node.',
  key: ['network', 'endpoint', 'transport', 'tags', 'check_name', 'observation_id'],
  sortBy: ['endpoint', 'transport', 'check_name'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  columns: {
    ...healthReportColumns,
    check_name: t.text('Such as network, database, a chain by its alias or id.'),
    ...observationColumns,
    message: t.text('What the check says, as JSON; null where it says nothing.', nullable),
    error: t.text('Why it failed; null when it passed.', nullable),
    checked_at: t.timestamp('When the node last ran the check (UTC, microseconds); null when it never did.', nullable),
    checked_at_ns: t.int64('The same in nanoseconds since 1970.', nullable),
    duration_ns: t.int64('How long the check took, in nanoseconds.', nullable),
    contiguous_failures: t.int64('How often in a row it failed; null when it passed.', nullable),
    first_failure_at: t.timestamp('When the first of these was (UTC, microseconds).', nullable),
    first_failure_at_ns: t.int64('The same in nanoseconds since 1970.', nullable),
  },
})
export type NodeHealthCheck = RowOf<typeof nodeHealth>
