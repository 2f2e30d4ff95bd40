import { command } from '../../flags/command.ts'
import { asOfFlag, commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const viewsCommand = command({
  name: 'views',
  usage: 'views',
  comment: 'Rewrite lake.duckdb, views.sql and lake.ducklake, for example after the lake was moved',
  examples: [
    { line: 'chainlake views --lake ./output', says: 'after the lake was moved' },
    { line: 'chainlake views --location https://host/lake', says: 'for readers who find the lake at another place' },
  ],
  options: {
    ...lakeFlag,
    ...asOfFlag,
    location: {
      type: 'string',
      requiresArg: true,
      describe:
        "Where readers find the lake: a folder of their machine, or a URL such as https://host/lake; remembered for later publications [the lake's folder]",
    },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => {
    const [{ readSettings }, { rewriteViews }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('./rewrite-views.ts'),
    ])
    const { lake } = await readSettings(flags)
    return rewriteViews(lake, flags)
  },
})
