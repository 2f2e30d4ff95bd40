import { command } from '../command.ts'
import { commonFlags, jsonFlag, serviceFlags } from '../options.ts'
import { printJson, printLine } from '../output.ts'

export const validateCommand = command({
  name: 'validate',
  usage: 'validate',
  comment: 'Check chainlake.yaml, the flags and the environment without running anything',
  options: { ...serviceFlags, ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const { readSettings } = await import('../settings.ts')
    const { ConfigError } = await import('../../errors.ts')
    const settings = await readSettings(flags)
    if (settings.configPath === null)
      throw new ConfigError('There is no chainlake.yaml here to check.', {
        code: 'config.unreadable',
        hint: 'Write one with `chainlake init`, or give another path with --config.',
      })
    const { checkedService, shownUrl } = await import('../validate-service.ts')
    const service = await checkedService(flags, settings)
    const nodeUrl = shownUrl(settings.nodeUrl)
    if (flags.json) {
      await printJson({ ...settings, nodeUrl, service })
      return 0
    }
    const jobs = Object.entries(settings.jobs)
    await printLine(`${settings.configPath} is fine.`)
    await printLine(
      [
        `  node-url: ${nodeUrl}`,
        `  lake: ${settings.lake}`,
        `  service: ${service.name}, ${service.dataUrl ?? 'data-url is not given'}, ${service.keyFrom === null ? 'without a key' : `key from ${service.keyFrom}`}`,
        `  jobs: ${jobs.length === 0 ? 'none' : ''}`.trimEnd(),
      ].join('\n'),
    )
    for (const [name, job] of jobs) await printLine(`    ${name}: ${JSON.stringify(job)}`)
    return 0
  },
})
