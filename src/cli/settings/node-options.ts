import type { NodeOptions } from '../../run/job/job.ts'
import type { Settings } from './settings.ts'

/** The settings for requests to the node. */
export function nodeOptions(settings: Settings): NodeOptions {
  const { nodeUrl, concurrency, threads, timeoutMs, tries, maxWaitMs, networkId } = settings
  return {
    nodeUrl,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(threads === undefined ? {} : { threads }),
    ...(timeoutMs === undefined ? {} : { requestTimeoutMs: timeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    ...(networkId === undefined ? {} : { networkId }),
  }
}
