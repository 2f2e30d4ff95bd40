import type { NodeOptions } from '../../run/job.ts'
import type { Settings } from './settings.ts'

/** The part of the settings that says how the node is reached. */
export function nodeOptions(settings: Settings): NodeOptions {
  const { nodeUrl, concurrency, timeoutMs, tries, maxWaitMs, networkId } = settings
  return {
    nodeUrl,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(timeoutMs === undefined ? {} : { requestTimeoutMs: timeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    ...(networkId === undefined ? {} : { networkId }),
  }
}
