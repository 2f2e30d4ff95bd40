import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { TableTotals } from '../ledger/tally.ts'

/** Facts of the primary network at its head. */
export type PrimarySummary = {
  /** Rows and sums of amount columns by table: of P-Chain, X-Chain and C-Chain atomic containers. */
  readonly tables: Readonly<Record<string, TableTotals>>
  readonly lists: PrimaryLists
}

export type PrimaryLists = {
  /** Every bech32 address with a UTXO on a chain, without chain prefix. */
  readonly addresses: Readonly<Record<ChainAlias, readonly string[]>>
  /** 0x addresses with atomic transactions. */
  readonly evmAddresses: readonly string[]
  /** Nodes that have proposed blocks, by chain. */
  readonly proposers: Readonly<Record<'P' | 'X', readonly string[]>>
  /** Nodes with rewarded stakes. */
  readonly rewardedNodes: readonly string[]
  readonly l1ValidationIds: readonly string[]
}

/** Computes the summary at the current head from the chains, not from the routes. Each head is counted once. */
export function createPrimarySummary(ledger: PrimaryLedger): () => Promise<PrimarySummary> {
  let last: { readonly containers: number; readonly summary: PrimarySummary } | null = null
  return async () => {
    const state = await ledger.state()
    const { containers } = state
    if (last?.containers !== containers) last = { containers, summary: summaryOf(state) }
    return last.summary
  }
}

function summaryOf(state: PrimaryState): PrimarySummary {
  return { tables: copyOf(state.tally.tables), lists: listsOf(state) }
}

/** Copies the tally, which continues to count. */
function copyOf(tables: ReadonlyMap<string, TableTotals>): Record<string, TableTotals> {
  return Object.fromEntries([...tables].map(([name, { rows, sums }]) => [name, { rows, sums: { ...sums } }]))
}

function listsOf({ addresses, proposed, rewards, byValidation }: PrimaryState): PrimaryLists {
  const bech32 = (chain: ChainAlias) => addresses.addresses(chain).filter((address) => !address.startsWith('0x'))
  const proposers = (of: 'P' | 'X') => [
    ...new Set(proposed.flatMap(({ chain, proposer }) => (chain === of ? [proposer.nodeId] : []))),
  ]
  return {
    addresses: { P: bech32('P'), X: bech32('X'), C: bech32('C') },
    evmAddresses: addresses.addresses('C').filter((address) => address.startsWith('0x')),
    proposers: { P: proposers('P'), X: proposers('X') },
    rewardedNodes: [...new Set(rewards.map(({ stake }) => stake.nodeId))],
    l1ValidationIds: [...byValidation.keys()],
  }
}
