import { choice, evmAddress, listRoute, type Reader, type ServiceRoute, text, totalsOf } from '../../plumbing/index.ts'
import { type IcmMessage, icmMessagesOf, rewardOf } from '../icm-messages.ts'
import { icmMessageItem } from '../items/icm-message.ts'
import type { EvmLedger } from '../state.ts'

const blockchain: Reader<string> = {
  read: (given) => (/^[1-9A-HJ-NP-Za-km-z]{40,60}$/.test(given) ? given : null),
  says: 'must be the id of a blockchain',
}

type Filters = {
  readonly sourceBlockchainId: string | undefined
  readonly destinationBlockchainId: string | undefined
  readonly blockchainId: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** ICM messages, newest first. Pending ones are delivered while the chain grows. */
export function icmRoute(ledger: EvmLedger): ServiceRoute {
  return listRoute({
    path: '/v1/icm/messages',
    parameters: {
      sourceBlockchainId: text(blockchain),
      destinationBlockchainId: text(blockchain),
      blockchainId: text(blockchain),
      from: text(evmAddress),
      to: text(evmAddress),
      network: choice(['mainnet', 'fuji', 'testnet']),
    },
    pageSize: { default: 10, most: 100 },
    cost: 'medium',
    totals: async () => ({
      rest_icm_messages: totalsOf(icmMessagesOf(await ledger.atHead()), { reward_amount: rewardOf }),
    }),
    handle: async ({ query, settings: { dialect } }) => {
      const state = await ledger.atHead()
      const all = query.network === 'mainnet' ? [] : icmMessagesOf(state)
      const found = all.filter((message) => matches(message, query))
      // The list grows while a page is computed: all items are of one head.
      const blocks = state.blocks.slice()
      const count = found.length
      return {
        items: 'messages',
        rows: { count, at: (index) => icmMessageItem(found[count - 1 - index]!, blocks, dialect) },
      }
    },
  })
}

function matches(message: IcmMessage, query: Filters): boolean {
  const [source, destination] = [message.source.blockchainId, message.destination.blockchainId]
  const isOrAny = (wanted: string | undefined, ...values: readonly string[]) =>
    wanted === undefined || values.includes(wanted)
  return (
    isOrAny(query.sourceBlockchainId, source) &&
    isOrAny(query.destinationBlockchainId, destination) &&
    isOrAny(query.blockchainId, source, destination) &&
    isOrAny(query.from, message.from) &&
    isOrAny(query.to, message.to)
  )
}
