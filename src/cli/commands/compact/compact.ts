import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const compactCommand = command({
  name: 'compact',
  usage: 'compact',
  comment: 'Merge small files of each partition into sorted files of up to 200 MB; safe while runs are active',
  examples: [{ line: 'chainlake compact --lake ./output', says: 'merge what many short runs wrote' }],
  options: { ...lakeFlag, ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ readSettings }, { compactInto }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('./compact-command.ts'),
    ])
    return compactInto(await readSettings(flags), flags.json === true)
  },
})
