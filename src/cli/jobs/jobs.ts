import { dirname, resolve } from 'node:path'
import { listNames, pipelineFiles } from '../../../pipelines/shared/by-name.ts'
import type { ConfiguredJob } from '../../config/schema.ts'
import type { Parameter, Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { parseParameter } from '../flags/parameter-flags.ts'
import type { Settings } from '../settings/settings.ts'
import type { SettingFlags } from '../settings/typed-value.ts'
import { suggestion } from '../terminal/suggest.ts'
import type { JobRequest, RequestedJob } from './resolve-job.ts'

type JobSettings = Pick<Settings, 'jobs' | 'pipelines' | 'configPath'> & Partial<Pick<Settings, 'wrongJobs'>>

/**
 * The jobs that the command line names: jobs of chainlake.yaml or pipelines. Flags override the parameters of a job. Throws
 * `ConfigError`, also for a named job with a mistake. With --all, jobs with a mistake come first in the result.
 */
export function jobsOf(names: readonly string[], flags: SettingFlags, settings: JobSettings): JobRequest[] {
  const chosen = chosenJobs(names, flags, settings)
  checkFlags(chosen, flags, settings.pipelines)
  const wrong = flags['all'] === true ? Object.entries(settings.wrongJobs ?? {}) : []
  return [
    ...wrong.map(([name, error]) => ({ kind: 'wrong', name, error }) as const),
    ...chosen.map((job) => requested(job, flags, settings.configPath)),
  ]
}

type Chosen = { readonly name: string; readonly job: ConfiguredJob; readonly pipeline: Pipeline }

function chosenJobs(names: readonly string[], flags: SettingFlags, settings: JobSettings): Chosen[] {
  const { jobs: configured, wrongJobs = {}, pipelines } = settings
  const chosen = (name: string, job: ConfiguredJob): Chosen => {
    const pipeline = pipelines.find((candidate) => candidate.name === job.pipeline)
    if (pipeline === undefined) throw new RangeError(`No pipeline ${job.pipeline}.`)
    return { name, job, pipeline }
  }
  if (flags['all'] === true) {
    if (names.length > 0)
      throw new ConfigError('Names of jobs and --all cannot be combined.', {
        code: 'config.jobs',
        hint: 'Give either names of jobs or --all.',
      })
    if (Object.keys({ ...configured, ...wrongJobs }).length === 0)
      throw new ConfigError('There are no jobs to run: --all runs the jobs of chainlake.yaml.', {
        code: 'config.no-jobs',
        details: { configuration: settings.configPath ?? 'none found' },
        hint: 'Create chainlake.yaml with `chainlake init`, or name a pipeline: `chainlake run p-blocks`.',
      })
    return Object.entries(configured).map(([name, job]) => chosen(name, job))
  }
  if (names.length === 0)
    throw new ConfigError('No pipeline or job is named.', {
      code: 'config.no-jobs',
      hint: `Name one or more, such as ${knownNames(configured, pipelines).slice(0, 8).join(', ')}. \`chainlake pipelines\` lists all pipelines, and --all runs all jobs of chainlake.yaml.`,
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

function knownNames(configured: Settings['jobs'], pipelines: readonly Pipeline[]): string[] {
  const loaded = pipelines.map((pipeline) => pipeline.name)
  return [...new Set([...Object.keys(configured), ...loaded, ...Object.keys(pipelineFiles), ...listNames])]
}

function requested({ name, job, pipeline }: Chosen, flags: SettingFlags, configPath: string | null): RequestedJob {
  const given = Object.entries<Parameter>(pipeline.parameters).flatMap(([key, parameter]) => {
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
      hint: `Give --${key}, or add a job with ${key} to chainlake.yaml. \`chainlake describe ${pipeline.name}\` lists the parameters.`,
    })
  })
  return { kind: 'requested', name, pipeline, given: Object.fromEntries(given) }
}

/** Makes the path of a list absolute: in chainlake.yaml it is relative to that file. */
function absolute(value: unknown, configPath: string | null): unknown {
  if (typeof value !== 'object' || value === null || !('file' in value) || typeof value.file !== 'string') return value
  return { file: resolve(dirname(configPath ?? '.'), value.file) }
}

/** Refuses the flag of a parameter that none of the jobs has. */
function checkFlags(jobs: readonly Chosen[], flags: SettingFlags, pipelines: readonly Pipeline[]): void {
  if (jobs.length === 0) return
  const known = new Set(jobs.flatMap(({ pipeline }) => flagsOf(pipeline)))
  const all = new Set(pipelines.flatMap(({ parameters, refused }) => Object.keys({ ...parameters, ...refused })))
  for (const name of all) {
    const given = flags[name]
    if (given === undefined || given === false || known.has(name)) continue
    const refused = jobs.map(({ pipeline }) => pipeline.refused[name]).find((one) => one !== undefined)
    throw new ConfigError(
      `None of the jobs has the parameter --${name}.${refused === undefined ? '' : ` ${refused.why}`}`,
      {
        code: 'config.option',
        details: { jobs: jobs.map((job) => job.name).join(', ') },
        hint: refused?.instead ?? flagHint(name, [...known], pipelines),
      },
    )
  }
}

function flagsOf({ parameters }: Pipeline): string[] {
  return Object.keys(parameters)
}

function flagHint(name: string, known: readonly string[], pipelines: readonly Pipeline[]): string {
  const owners = pipelines.filter((pipeline) => flagsOf(pipeline).includes(name)).map((pipeline) => pipeline.name)
  const flags = known.map((flag) => `--${flag}`)
  return `${suggestion(`--${name}`, flags)} It is a parameter of ${owners.join(', ')}.`
}
