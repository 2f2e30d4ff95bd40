import type { MetricsTokenHolder, metricsTokenHolders } from '../../../schemas/metrics-token-holders.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, nextPageToken, objects, type Reading } from '../json/fields.ts'
import { digits } from '../json/number-fields.ts'
import { address } from '../json/text-fields.ts'
import { decimal38, type EvmPlace } from '../json/token-fields.ts'

/** The request of a list of holders. The window is in microseconds; null is unbounded. */
type HoldersOf = EvmPlace & {
  readonly contract: string
  readonly threshold: string
  readonly windowStart: bigint | null
  readonly windowEnd: bigint | null
  readonly subject: string
}

/** Reads a page of the addresses with a balance above a threshold (specification 2.10 and 4.9). */
export function decodeTokenHolders(requested: HoldersOf) {
  return (answer: unknown, context: ReadingContext): Page<{ holders: typeof metricsTokenHolders }> => {
    const at = answerObject(answer, 'answer', context)
    const holders = objects(at, 'addresses', (item) => holderRow(item, requested))
    const next = nextPageToken(at)
    finish(at)
    return { rows: { holders }, items: holders.map(({ address }) => ({ key: address, time: null })), next }
  }
}

function holderRow(at: Reading, requested: HoldersOf): MetricsTokenHolder {
  const balance = digits(at, 'sortKey')
  return {
    network: requested.network,
    chain_id: requested.chainId,
    token_address: requested.contract,
    balance_threshold: requested.threshold,
    window_start: requested.windowStart,
    window_end: requested.windowEnd,
    subject: requested.subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    address: address(at, 'address'),
    balance: decimal38(balance),
    balance_raw: balance,
  }
}
