import { type CoveredByStream, serviceStream } from '../../define/index.ts'
import type { LogsOf } from './event-logs.ts'

type WantedLogs = LogsOf & {
  readonly network: string
  readonly chainId: string
  /** Lists that contain the contract and the topic, and that a stream may have as a whole. */
  readonly contracts?: readonly string[]
  readonly topics?: readonly string[]
}

/**
 * Whether a stream has all wanted logs in a slice that it covers of the logs: `evm-blocks`, or `evm-logs` with a filter that all of them
 * pass. The name of a stream holds only the first item of a long list; another item is known only as part of the same list.
 */
export function holdsLogs({ stream }: Pick<CoveredByStream, 'stream'>, wanted: WantedLogs): boolean {
  const { network, chainId, contract, topic, contracts = [], topics = [] } = wanted
  const [path, query = ''] = stream.split(/\?(.*)/s)
  if (path === `${network}/evm-blocks/${chainId}`) return query === ''
  if (path !== `${network}/evm-logs/${chainId}`) return false
  const filter = new Map(query.split('&').map((each) => [each.replace(/=.*/s, ''), each.replace(/^[^=]*=/, '')]))
  const others = ['secondTopics', 'thirdTopics', 'fourthTopics']
  return (
    accepts(filter.get('contracts'), contract, contracts) &&
    accepts(filter.get('topics'), topic, topics) &&
    !others.some((list) => filter.has(list))
  )
}

/** Whether a list of a filter has a value, which is part of `whole`. */
function accepts(list: string | undefined, value: string | null, whole: readonly string[]): boolean {
  if (list === undefined) return true
  if (value === null) return false
  return list.split(/[,+]/).includes(value) || list === serviceStream('', '', { whole }).parameters['whole']
}
