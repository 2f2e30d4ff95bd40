import { command } from '../command.ts'
import { commonFlags, jsonFlag } from '../options.ts'
import { printJson, printLine } from '../output.ts'

export const validateCommand = command({
  name: 'validate',
  usage: 'validate',
  comment: 'Check chainlake.yaml, the flags and the environment without running anything',
  options: { ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const { readSettings } = await import('../settings.ts')
    const { ConfigError } = await import('../../errors.ts')
    const settings = await readSettings(flags)
    if (settings.configPath === null)
      throw new ConfigError('There is no chainlake.yaml here to check.', {
        code: 'config.unreadable',
        hint: 'Write one with `chainlake init`, or give another path with --config.',
      })
    if (flags.json) {
      await printJson(settings)
      return 0
    }
    const jobs = Object.entries(settings.jobs)
    await printLine(`${settings.configPath} is fine.`)
    await printLine(
      `  node-url: ${settings.nodeUrl}\n  lake: ${settings.lake}\n  jobs: ${jobs.length === 0 ? 'none' : ''}`.trimEnd(),
    )
    for (const [name, job] of jobs) await printLine(`    ${name}: ${JSON.stringify(job)}`)
    return 0
  },
})
