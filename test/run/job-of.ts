import type { Pipeline } from '../../src/define/index.ts'
import type { Job } from '../../src/run/job.ts'

/** A job with the name of its pipeline. */
export function jobOf(pipeline: Pipeline, values: Readonly<Record<string, unknown>> = {}): Job {
  return { name: pipeline.name, pipeline, values }
}
