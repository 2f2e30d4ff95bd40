import { dirname, resolve } from 'node:path'
import { optionComments, optionNames } from '../../pipelines/shared/options.ts'
import type { ConfiguredJob } from '../config/schema.ts'
import type { AnyPipeline, Pipeline, ServicePipeline } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { parseWhole } from './numbers.ts'
import { containerFlags } from './options.ts'
import { parametersOf, parseParameter } from './parameter-flags.ts'
import type { JobRequest, ServiceJobRequest } from './resolve-job.ts'
import type { SettingFlags, Settings } from './settings.ts'
import { suggestion } from './suggest.ts'

type JobSettings = Pick<Settings, 'jobs' | 'configPath'> & Partial<Pick<Settings, 'wrongJobs'>>

/**
 * The jobs that the command line names: jobs of chainlake.yaml or pipelines; flags override a job's parameters. Throws `ConfigError`,
 * also for a named job that is written wrongly; with --all such ones come first, as they are.
 */
export function jobsOf(
  names: readonly string[],
  flags: SettingFlags,
  settings: JobSettings,
  pipelines: readonly AnyPipeline[],
): JobRequest[] {
  const chosen = chosenJobs(names, flags, settings, pipelines)
  checkFlags(chosen, flags, pipelines)
  const wrong = flags['all'] === true ? Object.entries(settings.wrongJobs ?? {}) : []
  return [
    ...wrong.map(([name, error]) => ({ kind: 'wrong', name, error }) as const),
    ...chosen.map(({ name, job, pipeline }) =>
      pipeline.kind === 'service'
        ? serviceRequest(name, job, pipeline, flags, settings.configPath)
        : containerRequest(name, job, pipeline, flags),
    ),
  ]
}

type Chosen = { readonly name: string; readonly job: ConfiguredJob; readonly pipeline: AnyPipeline }

function chosenJobs(
  names: readonly string[],
  flags: SettingFlags,
  settings: JobSettings,
  pipelines: readonly AnyPipeline[],
): Chosen[] {
  const { jobs: configured, wrongJobs = {} } = settings
  const chosen = (name: string, job: ConfiguredJob): Chosen => {
    const pipeline = pipelines.find((candidate) => candidate.name === job.pipeline)
    if (pipeline === undefined) throw new RangeError(`No pipeline ${job.pipeline}.`)
    return { name, job, pipeline }
  }
  if (flags['all'] === true) {
    if (names.length > 0) throw new ConfigError('Give names of jobs or --all, not both.', { code: 'config.jobs' })
    if (Object.keys({ ...configured, ...wrongJobs }).length === 0)
      throw new ConfigError('There are no jobs to run: --all means the jobs of chainlake.yaml.', {
        code: 'config.no-jobs',
        details: { configuration: settings.configPath ?? 'none found' },
        hint: 'Write one with `chainlake init`, or name a pipeline: `chainlake run p-blocks`.',
      })
    return Object.entries(configured).map(([name, job]) => chosen(name, job))
  }
  if (names.length === 0)
    throw new ConfigError('Name a pipeline or a job.', {
      code: 'config.no-jobs',
      hint: `Known: ${knownNames(configured, pipelines).join(', ')}. Or --all for all jobs of chainlake.yaml.`,
    })
  return [...new Set(names)].map((name) => {
    const job = Object.hasOwn(configured, name) ? configured[name] : undefined
    if (job !== undefined) return chosen(name, job)
    if (Object.hasOwn(wrongJobs, name)) throw wrongJobs[name]
    if (pipelines.some((pipeline) => pipeline.name === name)) return chosen(name, { pipeline: name })
    throw new ConfigError(`There is no pipeline or job ${JSON.stringify(name)}.`, {
      code: 'config.unknown-pipeline',
      hint: suggestion(name, knownNames(configured, pipelines)),
    })
  })
}

function knownNames(configured: Settings['jobs'], pipelines: readonly AnyPipeline[]): string[] {
  return [...new Set([...Object.keys(configured), ...pipelines.map((pipeline) => pipeline.name)])]
}

function containerRequest(name: string, job: ConfiguredJob, pipeline: Pipeline, flags: SettingFlags): JobRequest {
  const whole = (flag: 'from' | 'to' | 'unit', least: number): number | undefined => {
    const typed = flags[flag]
    return typeof typed === 'string' ? parseWhole(`--${flag}`, typed, least) : (job[flag] as number | undefined)
  }
  const from = whole('from', 0)
  const to = whole('to', 0)
  const unit = whole('unit', 1)
  const chain = (flags['chain'] ?? job['chain']) as string | undefined
  if (to !== undefined && (from ?? 0) >= to)
    throw new ConfigError(`The range ends before it starts: from ${from ?? 0} (inclusive) to ${to} (exclusive).`, {
      code: 'config.range',
      hint: '--to must be greater than --from.',
    })
  return {
    kind: 'containers',
    name,
    pipeline,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(unit === undefined ? {} : { unit }),
    ...(chain === undefined ? {} : { chain }),
    options: optionNames.filter((option) => option in pipeline.options && (flags[option] ?? job[option]) === true),
  }
}

function serviceRequest(
  name: string,
  job: ConfiguredJob,
  pipeline: ServicePipeline,
  flags: SettingFlags,
  configPath: string | null,
): ServiceJobRequest {
  const given = Object.entries(parametersOf(pipeline)).flatMap(([key, parameter]) => {
    const typed = flags[key]
    const value =
      typeof typed === 'string' || typeof typed === 'boolean'
        ? parseParameter(key, parameter, typed)
        : absolute(job[key], configPath)
    if (value !== undefined) return [[key, value] as const]
    if (!parameter.required) return []
    throw new ConfigError(`${name} needs --${key}.`, {
      code: 'config.missing-parameter',
      details: { pipeline: pipeline.name, [key]: parameter.comment },
      hint: `Give --${key}, or make a job with ${key} in chainlake.yaml; \`chainlake describe ${pipeline.name}\` shows the parameters.`,
    })
  })
  return { kind: 'service', name, pipeline, given: Object.fromEntries(given) }
}

/** The path of a list in chainlake.yaml is relative to that file. */
function absolute(value: unknown, configPath: string | null): unknown {
  if (typeof value !== 'object' || value === null || !('file' in value) || typeof value.file !== 'string') return value
  return { file: resolve(dirname(configPath ?? '.'), value.file) }
}

/** A flag may go beyond some of the jobs, not beyond all of them. */
function checkFlags(jobs: readonly Chosen[], flags: SettingFlags, pipelines: readonly AnyPipeline[]): void {
  if (jobs.length === 0) return
  const known = new Set(jobs.flatMap(({ pipeline }) => flagsOf(pipeline)))
  const all = new Set([...Object.keys(containerFlags), ...pipelines.flatMap(flagsOf)])
  for (const name of all) {
    const given = flags[name]
    if (given === undefined || given === false || known.has(name)) continue
    const options: Readonly<Record<string, string>> = optionComments
    throw new ConfigError(`None of the jobs has the ${name in options ? 'option' : 'parameter'} --${name}.`, {
      code: 'config.option',
      details: { jobs: jobs.map((job) => job.name).join(', ') },
      hint: options[name] ?? flagHint(name, [...known], pipelines),
    })
  }
}

function flagsOf(pipeline: AnyPipeline): string[] {
  if (pipeline.kind === 'service') return Object.keys(parametersOf(pipeline))
  return ['from', 'to', 'unit', 'chain', ...Object.keys(pipeline.options)]
}

function flagHint(name: string, known: readonly string[], pipelines: readonly AnyPipeline[]): string {
  const owners = pipelines.filter((pipeline) => flagsOf(pipeline).includes(name)).map((pipeline) => pipeline.name)
  const flags = known.map((flag) => `--${flag}`)
  return `${suggestion(`--${name}`, flags)} It is a parameter of ${owners.join(', ')}.`
}
