import type { NodeOptions } from '../../run/job/job.ts'
import type { Settings } from './settings.ts'

/** How long a command waits for a source that is not there, in milliseconds. */
const firstContactMs = 5_000

/** The same for a command that a user waits for: it soon gives up a source that refuses its first connection, unless tries are set. */
export function promptNodeOptions(settings: Settings): NodeOptions {
  return { ...nodeOptions(settings), ...(settings.tries === undefined ? { firstContactMs } : {}) }
}

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
