import type { ChainAlias } from '../../../network/shared-memory.ts'
import {
  amount,
  boolean,
  checked,
  choice,
  commaList,
  type ListAnswer,
  listOf,
  listRoute,
  ServiceError,
  type ServiceRoute,
  text,
  totalsOf,
} from '../../plumbing/index.ts'
import type { CheckedValues } from '../../plumbing/rules.ts'
import type { ServiceSettings } from '../../plumbing/settings.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { Utxo } from '../ledger/model.ts'
import { createUtxoTexts, withField } from '../shapes/utxo.ts'
import { utxoBytes } from '../shapes/utxo-bytes.ts'
import { chainInfo, sortOrders, textsInOrder } from './lists.ts'
import { createListMemory, type ListMemory } from './memory.ts'
import { mostAddresses, mostPostedAddresses, primaryAddress } from './readers.ts'

const path = '/v1/networks/{network}/blockchains/{blockchainId}/utxos'

const filters = {
  assetId: text({
    read: (given) => (/^[1-9A-HJ-NP-Za-km-z]{32,60}$/.test(given) ? given : null),
    says: 'must be the id of an asset',
  }),
  minUtxoAmount: amount(),
  includeSpent: boolean(),
  sortBy: choice(['timestamp', 'amount']),
  sortOrder: choice(sortOrders),
}
type Filters = CheckedValues<typeof filters>

type Wanted = {
  readonly chain: ChainAlias
  readonly network: string
  /** Undefined: all addresses. */
  readonly addresses: readonly string[] | undefined
  readonly filters: Filters
  readonly settings: ServiceSettings
}

/** UTXOs that were created on a chain or can be spent there, by GET and by POST (specification 4.2). */
export function utxoRoutes(ledger: PrimaryLedger): ServiceRoute[] {
  const memory = createListMemory<Utxo>()
  return [
    listRoute({
      path,
      parameters: { addresses: commaList(primaryAddress, mostAddresses), ...filters },
      pageSize: { default: 10, most: 100 },
      cost: 'xl',
      // Spent ones, too, of all addresses: the chain where it was created lists a UTXO, and the chain where it can be spent.
      totals: async () => {
        const { utxos } = (await ledger.state()).book
        const listed = [...utxos].flatMap((utxo) => (utxo.createdOn === utxo.livesOn ? [utxo] : [utxo, utxo]))
        return { rest_utxos: totalsOf(listed, { amount: ({ amount }) => amount }) }
      },
      handle: async ({ parts, query: { addresses, ...rest }, settings }) => {
        const wanted = { chain: parts.blockchainId, network: parts.network, addresses, filters: rest, settings }
        return answerOf(await ledger.state(), memory, wanted)
      },
    }),
    listRoute({
      path,
      method: 'POST',
      parameters: filters,
      pageSize: { default: 10, most: 1_024 },
      cost: 'xl',
      handle: async ({ parts, query, body, settings }) => {
        const addresses = addressesIn(body)
        const wanted = { chain: parts.blockchainId, network: parts.network, addresses, filters: query, settings }
        return answerOf(await ledger.state(), memory, wanted)
      },
    }),
  ]
}

function addressesIn(body: unknown): readonly string[] {
  const given = typeof body === 'object' && body !== null ? (body as { addresses?: unknown }).addresses : undefined
  if (typeof given !== 'string') throw ServiceError.invalid(['addresses must be a string'])
  return checked(() => listOf(primaryAddress, 'addresses', given, mostPostedAddresses))
}

function answerOf(state: PrimaryState, memory: ListMemory<Utxo>, wanted: Wanted): ListAnswer {
  const { chain, network, addresses, settings } = wanted
  const { sortBy = 'timestamp', sortOrder, includeSpent = false, assetId, minUtxoAmount } = wanted.filters
  const name = JSON.stringify([chain, addresses, sortBy, includeSpent, assetId, String(minUtxoAmount)])
  const list = memory.of(name, state.containers, () => {
    return utxosOf(state, wanted).sort(sortBy === 'amount' ? byAmount : byTime)
  })
  const text = createUtxoTexts(state.book.assets, chain, settings.dialect)
  const { rows } = textsInOrder(list, sortOrder, (utxo) => withField(text(utxo), 'utxoBytes', utxoBytes(utxo)))
  return {
    items: 'utxos',
    rows,
    extra: chainInfo(chain, network),
    // Spending removes rows, and with the order by amount new rows are inserted between old ones.
    pinned: !includeSpent || sortBy === 'amount',
  }
}

function utxosOf(state: PrimaryState, { chain, addresses, filters: wanted }: Wanted): Utxo[] {
  const { includeSpent = false, assetId, minUtxoAmount = 0n } = wanted
  const signers = addresses === undefined ? null : new Set(addresses)
  const of = addresses === undefined ? state.book.utxos : state.addresses.utxos(chain, addresses)
  return [...of].filter((utxo) => {
    return (
      (utxo.createdOn === chain || utxo.livesOn === chain) &&
      (includeSpent || utxo.consumption === null) &&
      utxo.amount >= minUtxoAmount &&
      (chain !== 'X' || assetId === undefined || utxo.asset === assetId) &&
      (signers === null || canSign(utxo, signers))
    )
  })
}

/**
 * Whether the signers can spend a UTXO. The service omits UTXOs that need more signatures than the given addresses have (real-service.md, d
 * 6).
 */
function canSign({ owner }: Utxo, signers: ReadonlySet<string>): boolean {
  return owner.addresses.filter((address) => signers.has(address)).length >= owner.threshold
}

function byTime(a: Utxo, b: Utxo): number {
  return a.created.time - b.created.time || byId(a, b)
}

function byAmount(a: Utxo, b: Utxo): number {
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : byId(a, b)
}

function byId(a: Utxo, b: Utxo): number {
  return a.id < b.id ? -1 : 1
}
