import { accountKeys } from '../../c/state.ts'
import { tokenContracts } from '../../c/tokens/contracts.ts'
import type { ChainAlias } from '../../network/shared-memory.ts'
import type { EvmState } from '../evm/state.ts'
import type { Ledgers } from '../ledgers.ts'
import type { PrimaryState } from '../primary/ledger.ts'
import { saying } from './small-tables.ts'

/** What exists on the chains, by what `GET /devnet/addresses?of=…` calls it. */
export function listsOf({ evm, primary, messages }: Ledgers) {
  const on = (chain: ChainAlias) => async () => [...(await primary.state()).addresses.addresses(chain)].sort()
  return {
    p: on('P'),
    x: on('X'),
    /** Of atomic transactions and of the UTXOs between the C chain and the others: bech32 and 0x. */
    c: on('C'),
    evm: async () => walletsOf(await evm.atHead()),
    contracts: async () => tokenContracts.map(({ address }) => address),
    nodes: async () => nodesOf(await primary.state()),
    /** Transactions whose message the aggregator signs. */
    l1: async () => saying(await messages()),
  }
}

const zeroAddress = `0x${'0'.repeat(40)}`

/** Everybody who can send, and who has ever had a token, in the order of the alphabet. */
function walletsOf({ transfers }: EvmState): string[] {
  const wallets = new Set(accountKeys.map(({ address }) => `0x${Buffer.from(address).toString('hex')}`))
  for (const { from, to } of transfers) wallets.add(from).add(to)
  wallets.delete(zeroAddress)
  return [...wallets].sort()
}

/** Nodes that propose blocks or validate: delegators name them too. */
function nodesOf({ proposed, p }: PrimaryState): string[] {
  const proposers = proposed.map(({ proposer }) => proposer.nodeId)
  return [...new Set([...proposers, ...p.flatMap(({ details: { nodeId } }) => nodeId ?? [])])].sort()
}
