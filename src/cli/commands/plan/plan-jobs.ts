import { lakeExists } from '../../../catalog/lake/lake-paths.ts'
import type { LakeLocation } from '../../../catalog/place/lake-location.ts'
import type { Facts, ServiceSettings } from '../../../define/index.ts'
import { ConfigError } from '../../../errors.ts'
import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { durationText } from '../../../lib/text/duration-text.ts'
import { createConnections, settledFacts, unasked } from '../../../run/connections/connections.ts'
import { accountOf } from '../../../run/connections/daily-budget.ts'
import { declaredStreams } from '../../../run/job/declared-streams.ts'
import { type Job, readsNode } from '../../../run/job/job.ts'
import { type JobPlan, planPipelines } from '../../../run/jobs/plan-pipelines.ts'
import { lakeStatus } from '../../../run/status/lake-status.ts'
import { lakeMeasures, lastMeasure } from '../../../run/status/last-measure.ts'
import { spentUnits } from '../../../run/status/spent-units.ts'
import type { ServiceHost } from '../../../sources/service/service-host.ts'
import { allRight, checkedJobs } from '../../jobs/check-jobs.ts'
import { jobsOf } from '../../jobs/jobs.ts'
import { knownPipelines } from '../../jobs/known-pipelines.ts'
import { isSkipped, type JobRequest, resolveJob, type WrongJob } from '../../jobs/resolve-job.ts'
import { costsOf, hostsFor } from '../../settings/host-settings.ts'
import { promptNodeOptions } from '../../settings/node-options.ts'
import { profileSettings, rulesOf } from '../../settings/service-settings.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { errorText } from '../../terminal/error-text.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { unreachedListener } from '../../terminal/run-events.ts'
import { coloured } from '../../terminal/terminal.ts'
import { textTable } from '../../terminal/text-table.ts'
import { namedJob } from '../run/run-summary.ts'
import { type ListPlan, listPlanText, planList } from './list-plan.ts'
import { budgetText, type Costs, planSpending, type Spending, spendingText, unmeasured } from './spending-plan.ts'

/** `chainlake plan`: what a run would do. It requests only the head and the network of a node, and nothing of a service. */
export async function planJobs(names: readonly string[], flags: SettingFlags): Promise<number> {
  const settings = await readSettings(flags, knownPipelines)
  const profile = await profileSettings(flags, settings)
  const rules = rulesOf(profile)
  const checked = await checkedJobs(jobsOf(names, flags, settings), rules, settings.lake)
  const requests = flags['all'] === true ? checked : allRight(checked)
  const wrong = requests.filter((request) => request.kind === 'wrong')
  const lists: (Job | ListPlan)[] = []
  const ranges: Job[] = []
  for (const request of requests) {
    const job = await plannable(request, settings.lake)
    if ('streams' in job || !readsNode(job.pipeline) || !job.pipeline.walks.includes('range')) lists.push(job)
    else ranges.push(job)
  }
  const logger = createLogger({ level: settings.logLevel, terminal: process.stderr.isTTY === true })
  const nodeSettings = { ...promptNodeOptions(settings), emit: unreachedListener(logger) }
  const node = createConnections(nodeSettings)
  const listPlans = await planLists(
    lists,
    { rules, node: node.facts },
    costsOf(profile, settings.services),
    settings.lake,
  ).finally(node.close)
  const plans = ranges.length === 0 ? [] : await planPipelines({ ...nodeSettings, lake: settings.lake, jobs: ranges })
  if (flags['json'] === true) {
    await printJson([...plans, ...listPlans])
    return reportWrong(wrong)
  }
  const texts = [
    ...(plans.length === 0 ? [] : rangePlanTexts(plans)),
    ...(listPlans.length === 0
      ? []
      : [
          listPlanText(listPlans),
          ...(await spendingTexts(
            listPlans,
            await hostsFor(profile, settings.services, settings.pipelines),
            settings.lake,
          )),
        ]),
  ]
  await printLine(texts.join('\n\n'))
  return reportWrong(wrong)
}

/** Prints the errors of wrong jobs; returns the exit code. */
function reportWrong(wrong: readonly WrongJob[]): number {
  for (const { name, error } of wrong)
    process.stderr.write(`${name} cannot be planned\n${coloured(errorText(error))}\n`)
  return wrong[0]?.error.exitCode ?? 0
}

/** A job with its lists. When the lake cannot give the lists yet, a plan that says so: the other jobs are planned all the same. */
async function plannable(request: JobRequest, lake: LakeLocation): Promise<Job | ListPlan> {
  if (request.kind === 'wrong') return { job: request.name, pipeline: null, streams: [], waits: request.error.message }
  try {
    const job = await resolveJob(request, lake)
    return isSkipped(job) ? waitingPlan(request, `the query of ${job.list} returns no row yet`) : job
  } catch (error) {
    const noLake = error instanceof ConfigError && error.code === 'query.no-lake'
    if (noLake) return waitingPlan(request, 'its query needs a lake, and there is none yet')
    throw error
  }
}

function waitingPlan({ name, pipeline }: Pick<Job, 'name' | 'pipeline'>, waits: string): ListPlan {
  return { job: name, pipeline: pipeline.name, streams: [], waits }
}

/** `spending` is null while the lists of the job are not known. */
type PlannedJob = ListPlan & { readonly spending: Spending | null }

async function planLists(
  jobs: readonly (Job | ListPlan)[],
  { rules, node }: { readonly rules: ServiceSettings; readonly node: Facts },
  costs: Costs,
  lake: LakeLocation,
): Promise<PlannedJob[]> {
  if (jobs.length === 0) return []
  const status = (await lakeExists(lake)) ? await lakeStatus(lake) : null
  const measures = await lakeMeasures(lake)
  return Promise.all(
    jobs.map(async (job) => {
      if ('streams' in job) return { ...job, spending: null }
      const facts = readsNode(job.pipeline) ? node : settledFacts(rules)
      const streams = await declaredStreams(job, facts).catch((error: unknown) => {
        if (error === unasked) return null
        throw error
      })
      if (streams === null)
        return { ...waitingPlan(job, 'a run asks the service for the chain id of the blockchain id'), spending: null }
      const measure = lastMeasure(measures, { job: job.name, pipeline: job.pipeline.name })
      return { ...planList(job, streams, status), spending: planSpending(streams, costs, status, measure) }
    }),
  )
}

/** What the jobs cost, and how much of the daily budget is left at hosts that have one. */
async function spendingTexts(
  plans: readonly PlannedJob[],
  hosts: readonly ServiceHost[],
  lake: LakeLocation,
): Promise<string[]> {
  const spendings = plans.flatMap(({ job, spending }) => (spending === null ? [] : [{ job, spending }]))
  if (spendings.length === 0) return []
  const counted = new Map(spendings.map(({ spending }) => [spending.host, spending.unitsPerDay]))
  const budgets: string[] = []
  for (const [name, unitsPerDay] of counted) {
    const host = hosts.find((one) => one.name === name)
    if (unitsPerDay === null || host === undefined) continue
    const account = accountOf(host)
    budgets.push(budgetText(account.origin, account.key, unitsPerDay, await spentUnits(lake, account)))
  }
  return [[spendingText(spendings), ...budgets].join('\n')]
}

function rangePlanTexts(plans: readonly JobPlan[]): string[] {
  const rows = plans.map((plan) => [
    namedJob(plan.job, plan.pipeline),
    plan.head === null ? 'empty' : countText(plan.head),
    countText(plan.units),
    countText(plan.requests),
    countText(plan.records),
    `~${bytesText(plan.estimatedBytes)}`,
    plan.estimatedSeconds === null ? unmeasured : `~${durationText(plan.estimatedSeconds)}`,
  ])
  const missing = plans.flatMap((plan) => plan.missing.map((one) => [one.table, countText(one.records)]))
  const times = [...new Set(plans.flatMap((plan) => plan.times.map(({ text }) => `${plan.job}: ${text}`)))]
  const remarks = [...new Set(plans.flatMap(({ job, remark }) => (remark === null ? [] : [`${job}: ${remark}`])))]
  return [
    ...(times.length === 0 ? [] : [times.join('\n')]),
    ...(remarks.length === 0 ? [] : [remarks.join('\n')]),
    textTable(['job', '>head', '>units', '>requests', '>records', '>bytes', '>time'], rows),
    textTable(['table', '>missing records'], missing),
  ]
}
