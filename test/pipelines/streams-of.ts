import type { Pipeline, ServiceSettings, StreamDeclaration } from '../../src/define/index.ts'
import { settledFacts } from '../../src/run/connections/connections.ts'

/** The streams of a pipeline that needs no facts. */
export function streamsOf(
  pipeline: Pipeline,
  values: Readonly<Record<string, unknown>>,
  settings: ServiceSettings | null,
): readonly StreamDeclaration[] {
  const streams = pipeline.streams(values, settledFacts(settings))
  if (streams instanceof Promise) throw new Error(`Pipeline ${pipeline.name} asks for facts.`)
  return streams
}
