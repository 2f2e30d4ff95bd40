import type { MetricsTokenHolder, metricsTokenHolders } from '../../../schemas/metrics-token-holders.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, nextPageToken, objects, type Reading } from '../json/fields.ts'
import { digits } from '../json/number-fields.ts'
import { address } from '../json/text-fields.ts'
import { decimal38, type EvmPlace } from '../json/token-fields.ts'

/** The request of a list of holders. The window is in microseconds; null is unbounded. */
export type HoldersOf = EvmPlace & {
  readonly contract: string
  readonly threshold: string
  readonly windowStart: bigint | null
  readonly windowEnd: bigint | null
  readonly subject: string
}

/** Reads a page of the addresses with a balance above a threshold (specification 2.10 and 4.9). */
export function decodeTokenHolders(asked: HoldersOf) {
  return (answer: unknown, context: ReadingContext): Page<{ holders: typeof metricsTokenHolders }> => {
    const at = answerObject(answer, 'answer', context)
    const holders = objects(at, 'addresses', (item) => holderRow(item, asked))
    const next = nextPageToken(at)
    finish(at)
    return { rows: { holders }, items: holders.map(({ address }) => ({ key: address, time: null })), next }
  }
}

function holderRow(at: Reading, asked: HoldersOf): MetricsTokenHolder {
  const balance = digits(at, 'sortKey')
  return {
    network: asked.network,
    chain_id: asked.chainId,
    token_address: asked.contract,
    balance_threshold: asked.threshold,
    window_start: asked.windowStart,
    window_end: asked.windowEnd,
    subject: asked.subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    address: address(at, 'address'),
    balance: decimal38(balance),
    balance_raw: balance,
  }
}
