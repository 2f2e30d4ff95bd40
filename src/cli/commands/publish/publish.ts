import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const publishCommand = command({
  name: 'publish',
  usage: 'publish <format>',
  comment: 'Publish the lake for other engines: iceberg adds Apache Iceberg metadata next to the data files',
  positionals: [{ name: 'format', comment: 'iceberg' }],
  options: {
    ...lakeFlag,
    table: { type: 'string', requiresArg: true, describe: 'Only these tables, separated by commas [all tables]' },
    location: {
      type: 'string',
      requiresArg: true,
      describe:
        "Location where readers find the lake, such as s3://bucket/lake; remembered for later publications [the lake's folder]",
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
