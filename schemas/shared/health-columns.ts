import { t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'

/** Identity of a health report of a node. */
export const healthReportColumns = {
  ...networkColumn,
  endpoint: t.text('Requested report: health, readiness, liveness, or root (GET /ext/health, the same as health).'),
  transport: t.text('How it was requested: get (/ext/health/<endpoint>) or rpc (method health.<endpoint>).'),
  tags: t.list(
    t.text('Tag.'),
    'The report has only checks with one of these tags, and global ones; empty: all checks.',
  ),
}
