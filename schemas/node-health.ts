import { identity, type RowOf, t } from '../src/define/index.ts'
import { healthReportColumns } from './shared/health-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeHealth = table({
  name: 'node_health',
  comment: 'One row per check in a health report of a node.',
  key: ['network', 'endpoint', 'transport', 'tags', 'check_name', 'observation_id'],
  sortBy: ['endpoint', 'transport', 'check_name'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  columns: {
    ...healthReportColumns,
    check_name: t.text('Name of the check, such as network, database, or the alias or id of a chain.').unproven(),
    ...observationColumns,
    message: t.text('Message of the check as JSON; null where there is none.', nullable).unproven(),
    error: t.text('Why the check failed; null when it passed.', nullable).unproven(),
    checked_at: t
      .timestamp('When the node last ran the check (UTC, microseconds); null when it never ran.', nullable)
      .partlyUnproven(),
    checked_at_ns: t.int64('The same as Unix time in nanoseconds.', nullable).partlyUnproven(),
    duration_ns: t.int64('Duration of the check in nanoseconds.', nullable).unproven(),
    contiguous_failures: t.int64('Number of failures in a row; null when the check passed.', nullable).unproven(),
    first_failure_at: t
      .timestamp('When the first of these failures occurred (UTC, microseconds).', nullable)
      .partlyUnproven(),
    first_failure_at_ns: t.int64('The same as Unix time in nanoseconds.', nullable).partlyUnproven(),
  },
})
export type NodeHealthCheck = RowOf<typeof nodeHealth>
