import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type examineConfig, inOrder, jobOf, type Mistake } from '../../config/read-config.ts'
import { configJsonSchema } from '../../config/schema.ts'
import { ConfigError, StorageError } from '../../errors.ts'
import { redactUrl } from '../../fetch/failures.ts'
import { replaceFile } from '../../lib/files.ts'
import { packageRoot } from '../../lib/package.ts'
import { serviceSettings } from '../../sources/service-profile.ts'
import type { FlagsOf } from '../flags/command.ts'
import { checkedJobs, jobsOf } from '../jobs/jobs.ts'
import { knownPipelines, loadPipelines } from '../jobs/known-pipelines.ts'
import { profileSettings, shownProfile } from '../service-settings.ts'
import { examinedConfig, hintOfNoConfig, placed, readSettings, type SettingFlags } from '../settings.ts'
import {
  coloured,
  errorFacts,
  errorText,
  exitCodeOf,
  printJson,
  printLine,
  printResult,
  writableFile,
} from '../terminal/terminal.ts'
import type { initCommand, validateCommand } from './export.ts'

/** `chainlake init`: writes `examples/chainlake.yaml`, which explains every key, and overwrites no file. Resolves to the exit code. */
export async function initConfig({ config: path = 'chainlake.yaml' }: FlagsOf<typeof initCommand>): Promise<number> {
  const template = await readFile(join(packageRoot(), 'examples/chainlake.yaml'), 'utf8')
  const text = template.replace('../chainlake.schema.json', join(packageRoot(), 'chainlake.schema.json'))
  await writeFile(path, text, { flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST')
      throw new ConfigError(`${path} already exists; it is unchanged.`, {
        code: 'config.exists',
        hint: 'Remove it first, or give another path with --config FILE.',
      })
    throw new StorageError(`${path} cannot be written.`, {
      details: { reason: cause.message },
      hint: 'Give a path in a folder that exists and can be written to.',
      cause,
    })
  })
  await printLine(`Wrote ${path}. Set node-url in it, then run: chainlake run --all`)
  return 0
}

/** `chainlake validate`: resolves to the exit code. */
export async function validateConfig(flags: FlagsOf<typeof validateCommand>): Promise<number> {
  const examined = await examinedConfig(flags, knownPipelines)
  if (flags.schema !== undefined) await writeSchema(flags.schema, flags)
  if (examined === null)
    throw new ConfigError('There is no chainlake.yaml in this folder.', {
      code: 'config.unreadable',
      hint: hintOfNoConfig('Create one with `chainlake init`, or give another path with --config.'),
    })
  const mistakes = await configMistakes(flags, examined.reading)
  if (mistakes.length > 0) return reportMistakes(mistakes, examined.path, flags.json === true)
  const { wrongJobs: _, pipelines: __, ...settings } = await readSettings(flags, knownPipelines)
  const service = shownProfile(await profileSettings(flags, settings))
  const nodeUrl = shownUrl(settings.nodeUrl)
  const { catalog, data, folder } = settings.lake
  const lake = catalog === undefined ? folder : shownUrl(catalog)
  const files = data ?? (catalog === undefined ? null : folder)
  const [jobs, services] = [withoutUrlSecrets(settings.jobs), withoutUrlSecrets(settings.services)]
  const lines = [
    `${settings.configPath} is valid.`,
    `  node-url: ${nodeUrl}`,
    `  lake: ${lake}${files === null ? '' : `, files in ${files}`}`,
    `  service: ${service.name}, ${service.dataUrl ?? 'no data-url'}, ${service.keyFrom === null ? 'without a key' : `key from ${service.keyFrom}`}`,
    `  jobs: ${Object.keys(jobs).length === 0 ? 'none' : ''}`.trimEnd(),
    ...Object.entries(jobs).map(([name, job]) => `    ${name}: ${JSON.stringify(job)}`),
  ]
  await printResult(flags, { ...settings, jobs, services, lake, files, nodeUrl, service }, lines.join('\n'))
  return 0
}

/** Prints all mistakes; returns the exit code. */
async function reportMistakes(mistakes: readonly Mistake[], path: string, json: boolean): Promise<number> {
  const [first] = mistakes
  if (json) {
    const list = mistakes.map((mistake) => ({ ...mistake.place, job: jobOf(mistake), ...errorFacts(mistake.error) }))
    await printJson({ error: errorFacts(first?.error), mistakes: list })
  }
  for (const { error } of mistakes) process.stderr.write(`${coloured(errorText(error))}\n`)
  if (mistakes.length > 1) process.stderr.write(`error: ${path} has ${mistakes.length} mistakes.\n`)
  return exitCodeOf(first?.error)
}

/**
 * Every mistake of chainlake.yaml in the order of the text, found without any request. First come mistakes of the shape. A job with the
 * right shape is then checked against rules that concern several parameters, and reports the first broken one. These rules are skipped
 * when a setting that all jobs share is wrong.
 */
async function configMistakes(
  flags: SettingFlags,
  { config, mistakes, document }: ReturnType<typeof examineConfig>,
): Promise<Mistake[]> {
  if (config === null) return [...mistakes]
  const settings = await readSettings(flags, knownPipelines)
  const profile = await profileSettings(flags, settings).catch((error: unknown) => {
    if (error instanceof ConfigError) return error
    throw error
  })
  if (profile instanceof ConfigError)
    return inOrder([...mistakes, { place: document.placeOf(['service']), path: ['service'], error: profile }])
  const requests = Object.keys(settings.jobs).flatMap((name) => jobsOf([name], {}, settings))
  const jobs = await checkedJobs(requests, serviceSettings(profile), settings.lake)
  const broken = jobs.flatMap((job): Mistake[] => {
    if (job.kind !== 'wrong') return []
    const path = ['jobs', job.name]
    const { code, message, details, hint } = job.error
    // The place has the name of the job, with which errors of its lists begin.
    const start = `${job.name}: `
    const rest = message.startsWith(start) ? message.slice(start.length) : message
    const error = placed(`${document.at(path)}: jobs.${job.name}`, { code, message: rest, details, hint })
    return [{ place: document.placeOf(path), path, error }]
  })
  return inOrder([...mistakes, ...broken])
}

/** A URL as given, or without its secrets when it has any. */
function shownUrl(url: string): string {
  const bare = (text: string): string => text.replace(/\/$/, '')
  const shown = bare(redactUrl(url))
  return shown === bare(url) ? url : shown
}

/** Settings as written, but with the URLs in them as messages may show them: their variables are replaced by now. */
function withoutUrlSecrets<T>(value: T): T {
  if (typeof value === 'string') return (/^\w+:\/\//.test(value) ? shownUrl(value) : value) as T
  if (Array.isArray(value)) return value.map(withoutUrlSecrets) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, withoutUrlSecrets(own)])) as T
}

/** Writes the JSON Schema of chainlake.yaml with the lists that it declares. Lists with a mistake are left out. */
async function writeSchema(file: string, flags: SettingFlags): Promise<void> {
  const path = await writableFile('--schema', file)
  const schema = configJsonSchema(await loadPipelines(flags))
  await replaceFile(path, `${JSON.stringify(schema, null, 2)}\n`)
}
