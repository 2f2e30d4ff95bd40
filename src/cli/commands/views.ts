import { command } from '../command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../options.ts'
import { printJson, printLine } from '../output.ts'

export const viewsCommand = command({
  name: 'views',
  usage: 'views',
  comment: 'Write lake.duckdb, views.sql and lake.ducklake anew, as after a move of the lake',
  options: { ...lakeFlag, ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ readSettings }, { republishLake }] = await Promise.all([
      import('../settings.ts'),
      import('../../run/lake-status.ts'),
    ])
    const { lake } = await readSettings(flags)
    const snapshotId = await republishLake(lake)
    if (flags.json) await printJson({ lake, snapshotId })
    else await printLine(`Wrote lake.duckdb, views.sql and lake.ducklake of snapshot ${snapshotId} in ${lake}`)
    return 0
  },
})
