import { identity, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const observations = table({
  name: 'observations',
  comment:
    'One row per subject of each complete observation, also when nothing was found. Incomplete observations are left out.',
  key: ['network', 'pipeline', 'subject', 'observation_id'],
  sortBy: ['pipeline', 'subject'],
  partitionBy: [identity('network')],
  columns: {
    ...networkColumn,
    pipeline: t.text('Pipeline that made the observation.'),
    subject: t.address('What was observed completely, such as a wallet on a chain.').partlyUnproven(),
    observation_id: t.address('Id of the observation.').partlyUnproven(),
    observed_at: t.timestamp('When the observation started (UTC), before its first request.'),
    completed_at: t.timestamp('When its last answer arrived (UTC).').unproven(),
  },
})
