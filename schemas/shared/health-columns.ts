import { t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'

/** What says which report on a node's health a row belongs to. */
export const healthReportColumns = {
  ...networkColumn,
  endpoint: t.text(
    'What was asked for: health, readiness, liveness, or root: GET /ext/health, which is the same as health.',
  ),
  transport: t.text('How it was asked for: get (/ext/health/<endpoint>) or rpc (the method health.<endpoint>).'),
  tags: t.list(t.text('Tag.'), 'Only checks with one of these tags, and global ones; empty: all.'),
}
