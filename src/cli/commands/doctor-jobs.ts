import type { LakeLocation } from '../../catalog/place.ts'
import { checkOfError, type DoctorCheck, notice } from '../../doctor/check-job.ts'
import { examine } from '../../doctor/examine.ts'
import { ChainlakeError } from '../../errors.ts'
import { visibleText } from '../../lib/text.ts'
import type { Job } from '../../run/job.ts'
import { serviceSettings } from '../../sources/service-profile.ts'
import { checkedJobs, type JobRequest, jobsOf, pipelinesOf, readyJob } from '../jobs/jobs.ts'
import { knownPipelines } from '../jobs/known-pipelines.ts'
import { promptNodeOptions, serviceHosts, serviceOfJobs } from '../service-settings.ts'
import { readSettings, type SettingFlags, type Settings } from '../settings.ts'
import { createLogger, unreachedListener } from '../terminal/run-events.ts'
import { coloured, printJson, printLine, printText } from '../terminal/terminal.ts'

/** `chainlake doctor`: pre-flight check of a run of the jobs; resolves to the exit code that such a run would have. */
export async function examineJobs(flags: SettingFlags, names: readonly string[]): Promise<number> {
  const settings = await readSettings(flags, knownPipelines)
  const requests = requestsOf(names, flags, settings)
  const service = await serviceOfJobs(requests, flags, settings).catch(ifExplained)
  const rules = service === null || service instanceof ChainlakeError ? null : serviceSettings(service)
  const services = serviceHosts(settings.services, pipelinesOf(requests))
  const { jobs, checks } = await resolveAll(await checkedJobs(requests, rules, settings.lake), settings.lake)
  const json = flags['json'] === true
  const report = async (check: DoctorCheck): Promise<void> => {
    all.push(check)
    if (!json) await printText(`${coloured(visibleText(checkText(check)), process.stdout)}\n`)
  }
  const all: DoctorCheck[] = []
  for (const check of checks) await report(check)
  const logger = createLogger(settings.logLevel)
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

/** An error that is a check of its own. */
function ifExplained(error: unknown): ChainlakeError {
  if (error instanceof ChainlakeError) return error
  throw error
}

/** The jobs with their lists resolved, and a check for each job that cannot run, or not yet. */
async function resolveAll(requests: readonly JobRequest[], lake: LakeLocation) {
  const jobs: Job[] = []
  const checks: DoctorCheck[] = []
  for (const request of requests)
    try {
      const job = await readyJob(request, lake)
      if ('waits' in job) checks.push({ about: request.name, ...waits(job.waits) })
      else jobs.push(job)
    } catch (error) {
      checks.push({ about: request.name, ...checkOfError(error) })
    }
  return { jobs, checks }
}

function waits(why: string) {
  const says = `${why.slice(0, 1).toUpperCase()}${why.slice(1)}.`
  return notice('doctor.waits', says, 'First run the jobs that fill the queried tables.')
}

const marks = { good: 'ok   ', notice: 'note ', bad: 'BAD  ' } as const

/** A check for people: one line, and what to do below it. */
function checkText({ about, verdict, says, todo }: DoctorCheck): string {
  const line = `${marks[verdict]} ${about}: ${says}`
  return todo === null ? line : `${line}\n       → ${todo}`
}

function conclusionText(checks: readonly DoctorCheck[]): string {
  const bad = checks.filter(({ verdict }) => verdict === 'bad')
  const notes = checks.filter(({ verdict }) => verdict === 'notice').length
  const more = notes === 0 ? '' : ` ${notes === 1 ? 'See the note' : `See the ${notes} notes`}.`
  const [first] = bad
  if (first === undefined) return `A run would work.${more}`
  const problems = bad.length === 1 ? 'one problem' : `${bad.length} problems`
  return `A run would fail with exit code ${first.exitCode}: ${problems}.${more}`
}
