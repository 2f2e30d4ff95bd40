import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'
import { printJson, printLine } from '../../terminal/output.ts'

export const restoreCommand = command({
  name: 'restore',
  usage: 'restore <dir>',
  comment: 'Restore the catalog from a backup and rewrite the views; the present catalog is kept next to it',
  positionals: [{ name: 'dir', comment: 'Folder of a backup, or a catalog file such as lake.ducklake' }],
  examples: [
    { line: 'chainlake restore /backups/lake --lake ./output', says: 'replace the catalog with that of a backup' },
  ],
  options: {
    ...lakeFlag,
    'with-losses': {
      type: 'boolean',
      describe: 'Restore although data files are missing; chainlake repair then removes them from the catalog',
    },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags, positionals }) => {
    const [{ readSettings }, { restoreLake }, { restoredText, restoredFacts }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('../../../run/status/backup-lake.ts'),
      import('./backup-text.ts'),
    ])
    const { lake } = await readSettings(flags)
    const losses = flags['with-losses'] === true ? 'accepted' : 'refused'
    const restored = await restoreLake({ lake, source: positionals[0] ?? '', losses })
    if (flags.json) await printJson({ lake: lake.folder, ...restoredFacts(restored) })
    else await printLine(restoredText(lake.folder, restored))
    return 0
  },
})
