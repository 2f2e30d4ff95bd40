import { pipelines } from '../../pipelines/index.ts'
import { redactUrl } from '../fetch/base-url.ts'
import { checkJobs } from './check-jobs.ts'
import { jobsOf } from './jobs.ts'
import { profileSettings, rulesOf, shownProfile } from './service-settings.ts'
import type { SettingFlags, Settings } from './settings.ts'

/** Checks the profile and every service job of chainlake.yaml without asking anything; gives the profile to show. */
export async function checkedService(flags: SettingFlags, settings: Settings) {
  const profile = await profileSettings(flags, settings)
  const names = Object.keys(settings.jobs)
  const jobs = names.length === 0 ? [] : jobsOf(names, {}, settings, pipelines)
  await checkJobs(jobs, rulesOf(profile), settings.lake)
  return shownProfile(profile)
}

/** A URL as it was given, or without the secrets in it. */
export function shownUrl(url: string): string {
  const bare = (text: string): string => text.replace(/\/$/, '')
  const shown = bare(redactUrl(url))
  return shown === bare(url) ? url : shown
}
