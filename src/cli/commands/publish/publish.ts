import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const publishCommand = command({
  name: 'publish',
  usage: 'publish <format>',
  comment: 'Show the lake to others: iceberg writes Apache Iceberg metadata of what is new, beside the same files',
  positionals: [{ name: 'format', comment: 'iceberg' }],
  options: {
    ...lakeFlag,
    table: { type: 'string', requiresArg: true, describe: 'These tables only, with commas [all of the lake]' },
    location: {
      type: 'string',
      requiresArg: true,
      describe:
        "Where readers find the lake, such as s3://bucket/lake; kept for later publications [the lake's folder]",
    },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags, positionals }) => {
    const [{ readSettings }, { publishAs }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('./publish-command.ts'),
    ])
    return publishAs(positionals[0] ?? '', await readSettings(flags), flags)
  },
})
