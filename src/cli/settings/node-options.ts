import type { NodeOptions } from '../../run/job/job.ts'
import type { Settings } from './settings.ts'

/** The part of the settings that says how the node is reached. */
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
