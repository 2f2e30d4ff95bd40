import type { Facts, StreamDeclaration } from '../../define/index.ts'
import { isBuiltIn } from '../../pipeline-modules/find-pipeline.ts'
import type { Job } from './job.ts'

/** The streams of a job. Throws `ConfigError` for wrong values, and `DefinitionError` for a wrong declaration of a user's pipeline. */
export async function declaredStreams(
  { pipeline, values }: Pick<Job, 'pipeline' | 'values'>,
  facts: Facts,
): Promise<readonly StreamDeclaration[]> {
  if (await isBuiltIn(pipeline)) return pipeline.streams(values, facts)
  const { checkOwnPipeline, checkOwnStreams } = await import('../../pipeline-modules/own-pipeline.ts')
  checkOwnPipeline(pipeline)
  const streams = await pipeline.streams(values, facts)
  checkOwnStreams(pipeline, streams)
  return streams
}
