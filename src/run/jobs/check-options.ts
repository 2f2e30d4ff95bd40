import { ConfigError } from '../../errors.ts'
import type { Job } from '../job/job.ts'
import type { RunOptions } from './run-options.ts'

/** Refuses what a program without types can get wrong, before anything is requested. Throws `ConfigError`. */
export function checkRunOptions({ lake, jobs, stop, emit }: RunOptions): void {
  if (typeof lake?.folder !== 'string')
    throw wrongOption('lake must name a folder.', "Give lake: { folder: './lake' }.")
  if (!(stop instanceof AbortSignal))
    throw wrongOption(
      'stop must be an AbortSignal.',
      'Give stop: new AbortController().signal, or a signal that ends the run early.',
    )
  if (typeof emit !== 'function')
    throw wrongOption('emit must be a function.', 'Give emit: () => {} to ignore the events of a run.')
  checkJobs(jobs)
}

/** Refuses jobs that are not complete. Throws `ConfigError`. */
export function checkJobs(jobs: readonly Job[]): void {
  if (!Array.isArray(jobs)) throw wrongOption('jobs must be a list.', 'Give jobs: [{ name, pipeline, values: {} }].')
  for (const job of jobs) checkJob(job)
}

function checkJob({ name, pipeline, values }: Job): void {
  if (typeof name !== 'string' || name === '')
    throw wrongOption('Each job needs a name.', 'Give each job a name of its own.')
  if (typeof pipeline === 'string')
    throw wrongOption(
      `The pipeline of job ${name} is a text: ${JSON.stringify(pipeline)}.`,
      `Give the pipeline itself: pipelines.find(({ name }) => name === ${JSON.stringify(pipeline)}), with pipelines imported from 'chainlake'.`,
    )
  if (typeof pipeline?.streams !== 'function')
    throw wrongOption(`Job ${name} has no pipeline.`, 'Give what pipeline({ … }) returns, or an item of pipelines.')
  if (typeof values !== 'object' || values === null)
    throw wrongOption(`Job ${name} has no values.`, 'Give values: {} to use the default of each parameter.')
  const unknown = Object.keys(values).find((key) => !Object.hasOwn(pipeline.parameters, key))
  if (unknown === undefined) return
  const refused = pipeline.refused[unknown]
  throw wrongOption(
    `The pipeline ${pipeline.name} of job ${name} has no parameter ${unknown}.${refused === undefined ? '' : ` ${refused.why}`}`,
    refused?.instead ?? `Its parameters are ${Object.keys(pipeline.parameters).join(', ') || 'none'}.`,
  )
}

function wrongOption(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.options', hint })
}
