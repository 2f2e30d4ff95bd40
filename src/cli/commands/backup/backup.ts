import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'
import { printJson, printLine } from '../../terminal/output.ts'

export const backupCommand = command({
  name: 'backup',
  usage: 'backup <dir>',
  comment: 'Back up the catalog of the lake, without the data files; safe while runs are active',
  positionals: [{ name: 'dir', comment: 'Folder for the backup; replaces an earlier backup there' }],
  examples: [{ line: 'chainlake backup /backups/lake --lake ./output', says: 'copy the catalog' }],
  options: { ...lakeFlag, ...jsonFlag, ...commonFlags },
  run: async ({ flags, positionals }) => {
    const [{ readSettings }, { backUpLake }, { backupText }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('../../../run/status/backup-lake.ts'),
      import('./backup-text.ts'),
    ])
    const { lake } = await readSettings(flags)
    const backup = await backUpLake(lake, positionals[0] ?? '')
    if (flags.json) await printJson({ folder: backup.folder, ...backup.facts, replaced: backup.replaced })
    else await printLine(backupText(backup))
    return 0
  },
})
