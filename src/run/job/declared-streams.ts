import type { Facts, StreamDeclaration } from '../../define/index.ts'
import { checkOwnPipeline, checkOwnStreams, isBuiltIn } from '../../pipeline-modules/own-pipeline.ts'
import type { Job } from './job.ts'

/** The streams of a job. Throws `ConfigError` for wrong values, and `DefinitionError` for a wrong declaration of a user's pipeline. */
export async function declaredStreams(
  { pipeline, values }: Pick<Job, 'pipeline' | 'values'>,
  facts: Facts,
): Promise<readonly StreamDeclaration[]> {
  const isOwn = !isBuiltIn(pipeline)
  if (isOwn) checkOwnPipeline(pipeline)
  const streams = await pipeline.streams(values, facts)
  if (isOwn) checkOwnStreams(pipeline, streams)
  return streams
}
