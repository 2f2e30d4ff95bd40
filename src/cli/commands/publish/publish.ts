import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const publishCommand = command({
  name: 'publish',
  usage: 'publish <format>',
  comment:
    'Publish the lake for other programs: iceberg adds Apache Iceberg metadata next to the data files; parquet makes one folder of Parquet files per table',
  positionals: [{ name: 'format', comment: 'iceberg or parquet' }],
  examples: [
    { line: 'chainlake publish parquet --to ./tables', says: 'one folder of Parquet files per table, for any program' },
    { line: 'chainlake publish iceberg', says: 'Iceberg metadata next to the data files' },
  ],
  options: {
    ...lakeFlag,
    table: { type: 'string', requiresArg: true, describe: 'Only these tables, separated by commas [all tables]' },
    to: {
      type: 'string',
      requiresArg: true,
      describe: "parquet: folder of the tables [the folder parquet in the lake's folder]",
    },
    location: {
      type: 'string',
      requiresArg: true,
      describe:
        "iceberg: location where readers find the lake, such as s3://bucket/lake; remembered for later publications [the lake's folder]",
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
