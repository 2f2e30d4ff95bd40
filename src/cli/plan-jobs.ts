import { pipelines } from '../../pipelines/index.ts'
import { lakeExists } from '../catalog/lake-folder.ts'
import type { ContainerJob, Job, ServiceJob } from '../run/job.ts'
import { lakeStatus } from '../run/lake-status.ts'
import { type JobPlan, planPipelines } from '../run/plan-pipelines.ts'
import { formatBytes, formatCount, formatSeconds, textTable } from './format.ts'
import { jobsOf } from './jobs.ts'
import { nodeOptions } from './node-options.ts'
import { printJson, printLine } from './output.ts'
import { resolveJob } from './resolve-job.ts'
import { planService, type ServicePlan, servicePlanText } from './service-plan.ts'
import { profileSettings, rulesOf } from './service-settings.ts'
import { readSettings, type SettingFlags, type Settings } from './settings.ts'

/** `chainlake plan`: what a run would do. Of jobs of services nothing is asked; of a node its head. */
export async function planJobs(names: readonly string[], flags: SettingFlags): Promise<number> {
  const settings = await readSettings(flags)
  const requests = jobsOf(names, flags, settings, pipelines)
  const jobs: Job[] = []
  for (const request of requests) jobs.push(await resolveJob(request, settings.lake))
  const services = jobs.filter((job): job is ServiceJob => job.kind === 'service')
  const containers = jobs.filter((job): job is ContainerJob => job.kind !== 'service')
  const servicePlans = services.length === 0 ? [] : await planServices(services, flags, settings)
  const plans =
    containers.length === 0
      ? []
      : await planPipelines({ ...nodeOptions(settings), lakeDir: settings.lake, jobs: containers })
  if (flags['json'] === true) {
    await printJson([...plans, ...servicePlans])
    return 0
  }
  const texts = [
    ...(plans.length === 0 ? [] : containerPlanTexts(plans)),
    ...(servicePlans.length === 0 ? [] : [servicePlanText(servicePlans)]),
  ]
  await printLine(texts.join('\n\n'))
  return 0
}

async function planServices(
  jobs: readonly ServiceJob[],
  flags: SettingFlags,
  settings: Settings,
): Promise<ServicePlan[]> {
  const rules = rulesOf(await profileSettings(flags, settings))
  const status = (await lakeExists(settings.lake)) ? await lakeStatus(settings.lake) : null
  return jobs.map((job) => planService(job, rules, status))
}

function containerPlanTexts(plans: readonly JobPlan[]): string[] {
  const rows = plans.map((plan) => [
    plan.pipeline,
    plan.head === null ? 'empty' : formatCount(plan.head),
    formatCount(plan.units),
    formatCount(plan.requests),
    formatCount(plan.containers),
    `~${formatBytes(plan.estimatedBytes)}`,
    `~${formatSeconds(plan.estimatedSeconds)}`,
  ])
  const lacking = plans.flatMap((plan) => plan.lacking.map((one) => [one.table, formatCount(one.containers)]))
  return [
    textTable(['pipeline', '>head', '>units', '>requests', '>containers', '>bytes', '>time'], rows),
    textTable(['table', '>containers that it lacks'], lacking),
  ]
}
