import { identity, t } from '../src/define/index.ts'
import { healthReportColumns } from './shared/health-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

export const nodeHealthReports = table({
  name: 'node_health_reports',
  comment: 'Whether a node reports itself healthy (/ext/health). One row per report and observation.',
  key: ['network', 'endpoint', 'transport', 'tags', 'observation_id'],
  sortBy: ['endpoint', 'transport'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  unproven: {
    partly: ['endpoint', 'transport', 'tags'],
  },
  columns: {
    ...healthReportColumns,
    ...observationColumns,
    status: t
      .int64('HTTP status of the answer: 200, or 503 to a GET when the node reports itself unhealthy.')
      .unproven(),
    healthy: t.boolean('Whether all checks passed.').unproven(),
    check_count: t.int64('Number of checks in the report: its rows in node_health.'),
  },
})
