import { command } from '../../flags/command.ts'
import { asOfFlag, commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const viewsCommand = command({
  name: 'views',
  usage: 'views',
  comment: 'Rewrite lake.duckdb, views.sql and lake.ducklake, for example after the lake was moved',
  options: { ...lakeFlag, ...asOfFlag, ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ readSettings }, { rewriteViews }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('./rewrite-views.ts'),
    ])
    const { lake } = await readSettings(flags)
    return rewriteViews(lake, flags['as-of'], flags.json === true)
  },
})
