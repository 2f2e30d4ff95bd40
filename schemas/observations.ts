import { identity, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const observations = table({
  name: 'observations',
  comment:
    'One row per subject of each complete observation, also where nothing was there; half-read ones are not in it.',
  key: ['network', 'pipeline', 'subject', 'observation_id'],
  sortBy: ['pipeline', 'subject'],
  partitionBy: [identity('network')],
  columns: {
    ...networkColumn,
    pipeline: t.text('The pipeline that observed.'),
    subject: t.address('What was observed whole, such as a wallet on a chain.'),
    observation_id: t.address('The observation.'),
    observed_at: t.timestamp('When it was opened (UTC): its first request was sent later.'),
    completed_at: t.timestamp('When its last answer had come (UTC).'),
  },
})
