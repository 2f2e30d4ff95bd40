import { type OptionName, optionComments, optionNames } from '../../pipelines/shared/options.ts'
import type { Pipeline } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import type { Job } from '../run/job.ts'
import { parseWhole } from './numbers.ts'
import type { Settings } from './settings.ts'
import { suggestion } from './suggest.ts'

export type JobFlags = {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly unit?: string | undefined
  readonly chain?: string | undefined
  readonly all?: boolean | undefined
} & { readonly [K in OptionName]?: boolean | undefined }

type ConfiguredJob = Settings['jobs'][string]

/** The jobs that the command line names: jobs of chainlake.yaml or pipelines; flags override a job's parameters. */
export function jobsOf(
  names: readonly string[],
  flags: JobFlags,
  settings: Pick<Settings, 'jobs' | 'configPath'>,
  pipelines: readonly Pipeline[],
): Job[] {
  const jobs = chosenJobs(names, flags, settings, pipelines)
  checkOptions(jobs, flags)
  return jobs
}

function chosenJobs(
  names: readonly string[],
  flags: JobFlags,
  settings: Pick<Settings, 'jobs' | 'configPath'>,
  pipelines: readonly Pipeline[],
): Job[] {
  const configured = settings.jobs
  if (flags.all === true) {
    if (names.length > 0) throw new ConfigError('Give names of jobs or --all, not both.', { code: 'config.jobs' })
    if (Object.keys(configured).length === 0)
      throw new ConfigError('There are no jobs to run: --all means the jobs of chainlake.yaml.', {
        code: 'config.no-jobs',
        details: { configuration: settings.configPath ?? 'none found' },
        hint: 'Write one with `chainlake init`, or name a pipeline: `chainlake run p-blocks`.',
      })
    return Object.values(configured).map((job) => jobOf(job, flags, pipelines))
  }
  if (names.length === 0)
    throw new ConfigError('Name a pipeline or a job.', {
      code: 'config.no-jobs',
      hint: `Known: ${knownNames(configured, pipelines).join(', ')}. Or --all for all jobs of chainlake.yaml.`,
    })
  return [...new Set(names)].map((name) => {
    const job = configured[name]
    if (job !== undefined) return jobOf(job, flags, pipelines)
    if (pipelines.some((pipeline) => pipeline.name === name)) return jobOf({ pipeline: name }, flags, pipelines)
    throw new ConfigError(`There is no pipeline or job ${JSON.stringify(name)}.`, {
      code: 'config.unknown-pipeline',
      hint: suggestion(name, knownNames(configured, pipelines)),
    })
  })
}

function knownNames(configured: Settings['jobs'], pipelines: readonly Pipeline[]): string[] {
  return [...new Set([...Object.keys(configured), ...pipelines.map((pipeline) => pipeline.name)])]
}

function jobOf(job: ConfiguredJob, flags: JobFlags, pipelines: readonly Pipeline[]): Job {
  const pipeline = pipelines.find(({ name }) => name === job.pipeline)
  if (pipeline === undefined) throw new RangeError(`No pipeline ${job.pipeline}.`)
  const from = flags.from === undefined ? job.from : parseWhole('--from', flags.from)
  const to = flags.to === undefined ? job.to : parseWhole('--to', flags.to)
  const chain = flags.chain ?? job.chain
  const unit = flags.unit === undefined ? job.unit : parseWhole('--unit', flags.unit, 1)
  if (to !== undefined && (from ?? 0) >= to)
    throw new ConfigError(`The range ends before it starts: from ${from ?? 0} (inclusive) to ${to} (exclusive).`, {
      code: 'config.range',
      hint: '--to must be greater than --from.',
    })
  return {
    pipeline,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(unit === undefined ? {} : { unit }),
    ...(chain === undefined ? {} : { chain }),
    options: optionsOf(job, flags, pipeline),
  }
}

function optionsOf(job: ConfiguredJob, flags: JobFlags, pipeline: Pipeline): string[] {
  const configured: Readonly<Record<string, unknown>> = job
  return optionNames.filter((name) => name in pipeline.options && (flags[name] ?? configured[name]) === true)
}

/** A flag may go beyond some of the jobs, not beyond all of them. */
function checkOptions(jobs: readonly Job[], flags: JobFlags): void {
  for (const name of optionNames)
    if (flags[name] === true && !jobs.some(({ pipeline }) => name in pipeline.options))
      throw new ConfigError(`None of the jobs has the option --${name}.`, {
        code: 'config.option',
        details: { jobs: jobs.map(({ pipeline }) => pipeline.name).join(', ') },
        hint: optionComments[name],
      })
}
