import { tokenContracts } from '../../../c/contracts.ts'
import { amount, between, integer, listRoute, type ServiceRoute, totalsOf } from '../../plumbing/index.ts'
import type { ServiceSettings } from '../../plumbing/settings.ts'
import { holdersOf, type Window } from '../holders.ts'
import { shownAddress } from '../items/addresses.ts'
import type { EvmLedger } from '../state.ts'

/**
 * Holders of a token in a window of time, on the metrics host (specification 000, 4.9). `sortKey` is the balance at the end of the window:
 * an integer in the specification, text in the real service.
 */
export function holderRoute(ledger: EvmLedger): ServiceRoute {
  return listRoute({
    path: '/v2/chains/{chainId}/contracts/{address}/balances',
    host: 'metrics',
    parameters: {
      threshold: amount({ required: true }),
      startTimestamp: integer({ least: 0 }),
      endTimestamp: integer({ least: 0 }),
    },
    pageSize: { default: 1000, most: 5000 },
    cost: 'xl',
    past: true,
    // Holders of any amount of every contract.
    totals: async () => {
      const state = await ledger.atHead()
      const holders = tokenContracts.flatMap(({ address }) => holdersOf(state.transfersOf(address), 0n, () => 'in'))
      return { metrics_token_holders: totalsOf(holders, { balance: ({ balance }) => balance }) }
    },
    handle: async ({ parts: { address }, query: { threshold, startTimestamp, endTimestamp }, settings }) => {
      const state = await ledger.atHead()
      const window = windowOf(settings, startTimestamp, endTimestamp)
      const holders = holdersOf(state.transfersOf(address), threshold, window)
      const keyOf = (balance: bigint) => (settings.dialect === 'spec' ? balance : String(balance))
      return {
        items: 'addresses',
        rows: holders.map((holder) => ({ address: shownAddress(holder.address), sortKey: keyOf(holder.balance) })),
        pinned: true,
      }
    },
  })
}

function windowOf(settings: ServiceSettings, start: number | undefined, end: number | undefined): Window {
  const begun = between(settings, start, undefined)
  const open = between(settings, undefined, end)
  return (time) => (open(time) ? (begun(time) ? 'in' : 'before') : 'after')
}
