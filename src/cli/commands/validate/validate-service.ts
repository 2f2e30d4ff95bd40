import { inOrder, type Mistake } from '../../../config/mistake.ts'
import type { ProfileSettings } from '../../../config/profiles.ts'
import type { ConfigReading } from '../../../config/read-config.ts'
import { configJsonSchema } from '../../../config/schema.ts'
import { ConfigError } from '../../../errors.ts'
import { redactUrl } from '../../../fetch/base-url.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import { checkedJobs } from '../../jobs/check-jobs.ts'
import { jobsOf } from '../../jobs/jobs.ts'
import { knownPipelines, loadPipelines } from '../../jobs/known-pipelines.ts'
import { profileSettings, rulesOf, shownProfile } from '../../settings/service-settings.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { writableFile } from '../../terminal/writable-file.ts'

/** The profile without secrets. Throws `ConfigError` for a wrong one. */
export async function checkedService(flags: SettingFlags, settings: Pick<Settings, 'service' | 'configPath'>) {
  return shownProfile(await profileSettings(flags, settings))
}

/**
 * Every mistake of chainlake.yaml in the order of the text, found without any request. First come mistakes of the shape. A job with the
 * right shape is then checked against rules that concern several parameters, and reports the first broken one. These rules are skipped
 * when a setting that all jobs share is wrong.
 */
export async function configMistakes(
  flags: SettingFlags,
  { config, mistakes, document }: ConfigReading,
): Promise<Mistake[]> {
  if (config === null) return [...mistakes]
  const settings = await readSettings(flags, knownPipelines)
  let profile: ProfileSettings
  try {
    profile = await profileSettings(flags, settings)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return inOrder([...mistakes, { place: document.placeOf(['service']), path: ['service'], error }])
  }
  const rules = rulesOf(profile)
  const names = Object.keys(settings.jobs)
  const jobs = names.length === 0 ? [] : await checkedJobs(jobsOf(names, {}, settings), rules, settings.lake)
  const broken = jobs.flatMap((job): Mistake[] => {
    if (job.kind !== 'wrong') return []
    const { code, message, details, hint } = job.error
    const path = ['jobs', job.name]
    const error = new ConfigError(`${document.at(path)}: jobs.${job.name}: ${message}`, {
      code,
      details,
      ...(hint === undefined ? {} : { hint }),
    })
    return [{ place: document.placeOf(path), path, error }]
  })
  return inOrder([...mistakes, ...broken])
}

/** A URL as given, or without its secrets when it has any. */
export function shownUrl(url: string): string {
  const bare = (text: string): string => text.replace(/\/$/, '')
  const shown = bare(redactUrl(url))
  return shown === bare(url) ? url : shown
}

/** Writes the JSON Schema of chainlake.yaml with the lists that it declares. Lists with a mistake are left out. */
export async function writeSchema(file: string, flags: SettingFlags): Promise<void> {
  const path = await writableFile('--schema', file)
  const schema = configJsonSchema(await loadPipelines(flags))
  await replaceFile(path, `${JSON.stringify(schema, null, 2)}\n`)
}
