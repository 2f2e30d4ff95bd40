import type { CoveredByStream } from '../../define/index.ts'
import { isWhole } from '../../model.ts'
import type { LogsOf } from './event-logs.ts'

type WantedLogs = LogsOf & { readonly network: string; readonly chainId: string }

/**
 * Whether a stream has all wanted logs in a slice that it covers of the logs: `evm-blocks`, or `evm-logs` with a filter that all of them
 * pass.
 */
export function holdsLogs({ origin }: Pick<CoveredByStream, 'origin'>, wanted: WantedLogs): boolean {
  const { network, chain, kind, parameters } = origin
  if (network !== wanted.network || chain !== wanted.chainId) return false
  if (kind === 'evm-blocks') return isWhole(origin)
  const { contracts, topics, ...others } = parameters
  const isWider = accepts(contracts, wanted.contract) && accepts(topics, wanted.topic)
  return kind === 'evm-logs' && isWider && isWhole({ parameters: others })
}

/** Whether a list of a filter has a value. */
function accepts(list: string | readonly string[] | undefined, value: string | null): boolean {
  return list === undefined || (value !== null && list.includes(value))
}
