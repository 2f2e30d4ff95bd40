import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const expireCommand = command({
  name: 'expire',
  usage: 'expire',
  comment: 'Expire old snapshots, and remove files without a snapshot 24 hours after they were last published',
  examples: [{ line: 'chainlake expire --older-than 30d', says: 'keep the snapshots of a month' }],
  options: {
    ...lakeFlag,
    'older-than': { type: 'string', requiresArg: true, describe: 'Age of the snapshots to expire, such as 7d [30d]' },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => {
    const [{ readSettings }, { expireInto }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('./expire-command.ts'),
    ])
    return expireInto(await readSettings(flags), flags['older-than'] ?? '30d', flags.json === true)
  },
})
