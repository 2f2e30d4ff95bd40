import { metricsTokenHolders } from '../schemas/metrics.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { p, pipeline, serviceStream } from '../src/define/index.ts'
import { chunksOf } from '../src/lib/arrays.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import {
  chainId,
  contracts,
  endTimestamp,
  evmAddresses,
  mustBeRange,
  network,
  observedTogether,
  pageSize,
  startTimestamp,
  subjectName,
} from './shared/parameters.ts'
import { listOf, onEvmChain } from './shared/service.ts'

/** The addresses with a balance above a threshold (specification 2.10 and 4.9). */
export const holdersList = listReader({
  tables: { holders: metricsTokenHolders },
  items: 'addresses',
  key: ['address'],
})

export const holdersRoute = {
  ...serviceRoute('/v2/chains/{chainId}/contracts/{address}/balances', 'xl', 5000),
  host: 'metrics',
  gone: 'The current public API no longer has this route: it was listed until 2025-11-18 and gone by 2026-02-25.',
} as const
export const holdersPipeline = pipeline({
  name: 'holders',
  comment: `Addresses that held more than a threshold of a token in a window of time, from the metrics host. ${holdersRoute.gone}`,
  parameters: {
    network,
    'chain-id': chainId,
    contracts,
    threshold: p.text.required('Addresses that held more than this, in the least unit of the token.', {
      pattern: { source: '^[0-9]+$', says: 'must be decimal digits' },
      example: '1000000',
    }),
    'start-timestamp': startTimestamp,
    'end-timestamp': endTimestamp,
    'page-size': pageSize(5000),
  },
  tables: { holders: metricsTokenHolders },
  reads: 'service',
  walks: ['snapshot'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const { network, 'chain-id': chainId, 'page-size': pageSize } = values
      const { 'start-timestamp': start, 'end-timestamp': end } = values
      mustBeRange(['start-timestamp', start], ['end-timestamp', end])
      const threshold = BigInt(values.threshold).toString()
      const filters = { threshold, 'start-timestamp': start, 'end-timestamp': end }
      const [windowStart, windowEnd] = [microseconds(start), microseconds(end)]
      return chunksOf(evmAddresses(values.contracts), observedTogether).map((contracts) => ({
        stream: serviceStream(network, 'holders', { contracts, ...filters }, chainId),
        walk: {
          kind: 'snapshot',
          subjects: contracts.map((contract) => {
            const name = subjectName(`${chainId}/${contract}`, filters)
            const query = { threshold, startTimestamp: start, endTimestamp: end, pageSize }
            const given = {
              network,
              chain_id: chainId,
              token_address: contract,
              balance_threshold: threshold,
              window_start: windowStart,
              window_end: windowEnd,
              subject: name,
            }
            return {
              name,
              lists: [listOf(holdersRoute, { chainId, address: contract }, query, holdersList(given))],
            }
          }),
        },
      }))
    }),
})

function microseconds(seconds: number | undefined): bigint | null {
  return seconds === undefined ? null : BigInt(seconds) * 1_000_000n
}
