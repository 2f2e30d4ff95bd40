import { tokenContracts } from '../../c/contracts.ts'
import { walletsOf } from '../evm/holdings.ts'
import type { Ledgers } from '../ledgers/ledgers.ts'
import type { PrimaryLists, PrimarySummary } from '../primary/counts/summary.ts'
import { saying } from '../signatures/l1-messages.ts'

/** Lists of the objects on the chains, by the name in `GET /devnet/addresses?of=…`. */
export function listsOf({ evm, messages }: Ledgers, primary: () => Promise<PrimarySummary>) {
  const of = (pick: (lists: PrimaryLists) => readonly string[]) => async () => [...pick((await primary()).lists)].sort()
  return {
    /** Addresses of the P-Chain, X-Chain and C-Chain, bech32 without chain prefix. */
    p: of(({ addresses }) => addresses.P),
    x: of(({ addresses }) => addresses.X),
    c: of(({ addresses }) => addresses.C),
    /** 0x addresses of atomic transactions. */
    atomic: of(({ evmAddresses }) => evmAddresses),
    /** Every wallet that ever had a token. */
    evm: async () => walletsOf(await evm.atHead()),
    contracts: async () => tokenContracts.map(({ address }) => address),
    /** Nodes that have proposed blocks or have been rewarded. */
    nodes: of(({ proposers, rewardedNodes }) => [...new Set([...proposers.P, ...proposers.X, ...rewardedNodes])]),
    validations: of(({ l1ValidationIds }) => l1ValidationIds),
    /** Transactions with a message that the aggregator signs. */
    l1: async () => saying(await messages()),
  }
}
