import type { Mistake } from '../../../config/mistake.ts'
import { ConfigError } from '../../../errors.ts'
import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, modulesFlag, serviceFlags } from '../../flags/options.ts'
import { errorFacts, errorText, exitCodeOf } from '../../terminal/error-text.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { coloured } from '../../terminal/terminal.ts'

export const validateCommand = command({
  name: 'validate',
  usage: 'validate',
  comment: 'Check chainlake.yaml, flags and environment without running anything',
  examples: [
    { line: 'chainlake validate', says: 'chainlake.yaml of this folder' },
    { line: 'chainlake validate --config examples/devnet.yaml --json', says: 'another one, as JSON' },
  ],
  options: {
    ...serviceFlags,
    schema: {
      type: 'string',
      requiresArg: true,
      describe: 'Also write the JSON Schema of this configuration, with its own lists, to this file, for editors',
    },
    ...jsonFlag,
    ...modulesFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => {
    const [{ examinedConfig, readSettings }, { knownPipelines }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('../../jobs/known-pipelines.ts'),
    ])
    const examined = await examinedConfig(flags, knownPipelines)
    if (flags.schema !== undefined) await (await import('./validate-service.ts')).writeSchema(flags.schema, flags)
    if (examined === null) throw noConfig()
    const { checkedService, configMistakes, shownUrl } = await import('./validate-service.ts')
    const mistakes = await configMistakes(flags, examined.reading)
    if (mistakes.length > 0) return reportMistakes(mistakes, examined.path, flags.json === true)
    const { wrongJobs: _, pipelines: __, ...settings } = await readSettings(flags, knownPipelines)
    const service = await checkedService(flags, settings)
    const nodeUrl = shownUrl(settings.nodeUrl)
    if (flags.json) {
      await printJson({ ...settings, lake: settings.lake.folder, nodeUrl, service })
      return 0
    }
    const jobs = Object.entries(settings.jobs)
    await printLine(`${settings.configPath} is valid.`)
    await printLine(
      [
        `  node-url: ${nodeUrl}`,
        `  lake: ${settings.lake.folder}`,
        `  service: ${service.name}, ${service.dataUrl ?? 'no data-url'}, ${service.keyFrom === null ? 'without a key' : `key from ${service.keyFrom}`}`,
        `  jobs: ${jobs.length === 0 ? 'none' : ''}`.trimEnd(),
      ].join('\n'),
    )
    for (const [name, job] of jobs) await printLine(`    ${name}: ${JSON.stringify(job)}`)
    return 0
  },
})

function noConfig(): ConfigError {
  return new ConfigError('There is no chainlake.yaml in this folder.', {
    code: 'config.unreadable',
    hint: 'Create one with `chainlake init`, or give another path with --config.',
  })
}

/** Prints all mistakes; returns the exit code. */
async function reportMistakes(mistakes: readonly Mistake[], path: string, json: boolean): Promise<number> {
  const { jobOf } = await import('../../../config/read-config.ts')
  const [first] = mistakes
  if (json) {
    const list = mistakes.map((mistake) => ({ ...mistake.place, job: jobOf(mistake), ...errorFacts(mistake.error) }))
    await printJson({ error: errorFacts(first?.error), mistakes: list })
  }
  for (const { error } of mistakes) process.stderr.write(`${coloured(errorText(error))}\n`)
  if (mistakes.length > 1) process.stderr.write(`error: ${path} has ${mistakes.length} mistakes.\n`)
  return exitCodeOf(first?.error)
}
