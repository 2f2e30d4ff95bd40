import type { LakeLocation } from '../../../catalog/place/lake-location.ts'
import { type Check, checkOfError, notice } from '../../../doctor/check.ts'
import { examine } from '../../../doctor/examine.ts'
import { ChainlakeError, ConfigError } from '../../../errors.ts'
import { visibleText } from '../../../lib/text/visible-text.ts'
import { type Job, readsService } from '../../../run/job/job.ts'
import { type ServiceProfile, serviceSettings } from '../../../sources/service-profile.ts'
import { checkedJobs } from '../../jobs/check-jobs.ts'
import { jobsOf } from '../../jobs/jobs.ts'
import { knownPipelines } from '../../jobs/known-pipelines.ts'
import { isSkipped, type JobRequest, pipelinesOf, resolveJob } from '../../jobs/resolve-job.ts'
import { serviceHosts } from '../../settings/host-settings.ts'
import { promptNodeOptions } from '../../settings/node-options.ts'
import { profileSettings, serviceProfile } from '../../settings/service-settings.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine, printText } from '../../terminal/output.ts'
import { unreachedListener } from '../../terminal/run-events.ts'
import { coloured } from '../../terminal/terminal.ts'

/** `chainlake doctor`: pre-flight check of a run of the jobs; resolves to the exit code that such a run would have. */
export async function examineJobs(names: readonly string[], flags: SettingFlags): Promise<number> {
  const settings = await readSettings(flags, knownPipelines)
  const requests = requestsOf(names, flags, settings)
  const service = await serviceOf(requests, flags, settings)
  const rules = service === null || service instanceof ChainlakeError ? null : serviceSettings(service)
  const services = serviceHosts(settings.services, pipelinesOf(requests))
  const { jobs, checks } = await resolveAll(requests, rules, settings.lake)
  const json = flags['json'] === true
  const report = async (check: Check): Promise<void> => {
    all.push(check)
    if (!json) await printText(`${coloured(visibleText(checkText(check)), process.stdout)}\n`)
  }
  const all: Check[] = []
  for (const check of checks) await report(check)
  const logger = createLogger({ level: settings.logLevel, terminal: process.stderr.isTTY === true })
  const examination = { lake: settings.lake, node: promptNodeOptions(settings), jobs, service, services }
  for await (const check of examine({ ...examination, emit: unreachedListener(logger) })) await report(check)
  const exitCode = all.find(({ verdict }) => verdict === 'bad')?.exitCode ?? 0
  if (json) await printJson({ version: 1, works: exitCode === 0, exitCode, checks: all })
  else await printLine(`\n${conclusionText(all)}`)
  return exitCode
}

/** The named jobs, or all jobs of the configuration. Without a configuration only the shared checks are made. */
function requestsOf(names: readonly string[], flags: SettingFlags, settings: Settings): JobRequest[] {
  const configured = Object.keys({ ...settings.jobs, ...settings.wrongJobs }).length > 0
  if (names.length > 0 || flags['all'] === true) return jobsOf(names, flags, settings)
  return configured ? jobsOf([], { ...flags, all: true }, settings) : []
}

async function serviceOf(
  requests: readonly JobRequest[],
  flags: SettingFlags,
  settings: Settings,
): Promise<ServiceProfile | ChainlakeError | null> {
  if (!requests.some((request) => request.kind === 'requested' && readsService(request.pipeline))) return null
  try {
    return await serviceProfile(await profileSettings(flags, settings))
  } catch (error) {
    if (error instanceof ChainlakeError) return error
    throw error
  }
}

/** The jobs with their lists resolved, and a check for each job that cannot run, or not yet. */
async function resolveAll(
  requests: readonly JobRequest[],
  rules: ReturnType<typeof serviceSettings> | null,
  lake: LakeLocation,
): Promise<{ jobs: Job[]; checks: Check[] }> {
  const jobs: Job[] = []
  const checks: Check[] = []
  for (const request of await checkedJobs(requests, rules, lake)) {
    if (request.kind === 'wrong') {
      checks.push(checkOfError(request.name, request.error))
      continue
    }
    try {
      const job = await resolveJob(request, lake)
      if (isSkipped(job)) checks.push(waits(request.name, `The query of ${job.list} returns no row yet.`))
      else jobs.push(job)
    } catch (error) {
      const noLake = error instanceof ConfigError && error.code === 'query.no-lake'
      checks.push(noLake ? waits(request.name, error.message) : checkOfError(request.name, error))
    }
  }
  return { jobs, checks }
}

function waits(name: string, says: string): Check {
  return notice(name, 'doctor.waits', says, 'First run the jobs that fill the queried tables.')
}

const marks = { good: 'ok   ', notice: 'note ', bad: 'BAD  ' } as const

/** A check for people: one line, and what to do below it. */
function checkText({ about, verdict, says, todo }: Check): string {
  const line = `${marks[verdict]} ${about}: ${says}`
  return todo === null ? line : `${line}\n       → ${todo}`
}

/** The conclusion from all checks. */
function conclusionText(checks: readonly Check[]): string {
  const bad = checks.filter(({ verdict }) => verdict === 'bad')
  const notes = checks.filter(({ verdict }) => verdict === 'notice').length
  const more = notes === 0 ? '' : ` ${notes === 1 ? 'See the note' : `See the ${notes} notes`}.`
  const [first] = bad
  if (first === undefined) return `A run would work.${more}`
  const problems = bad.length === 1 ? 'one problem' : `${bad.length} problems`
  return `A run would fail with exit code ${first.exitCode}: ${problems}.${more}`
}
