import { pipelines } from '../../../pipelines/index.ts'
import type { TrailingOf } from './compact-tail.ts'

/** The default trailing length of the pipeline that a stream is named after. */
export const usualTrailing: TrailingOf = (stream) => {
  const [, path = ''] = stream.split('/')
  const name = path.replace(/\?.*$/s, '')
  const parameters = pipelines.find((pipeline) => pipeline.name === name)?.parameters ?? {}
  return 'trailing-seconds' in parameters ? 3600 : 'trailing-blocks' in parameters ? 200 : 0
}
