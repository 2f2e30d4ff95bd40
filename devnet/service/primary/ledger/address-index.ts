import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { LedgerTx, Utxo } from './model.ts'

/** The UTXOs and transactions of an address, by chain. Lists are unordered. */
export type AddressIndex = {
  addUtxo(utxo: Utxo): void
  /** Records that a transaction involves some addresses. A repeated call has no effect. */
  addTx(tx: LedgerTx, addresses: readonly string[]): void
  /** UTXOs that were created on a chain or can be spent there. */
  utxos(chain: ChainAlias, addresses: readonly string[]): ReadonlySet<Utxo>
  txs(chain: ChainAlias, addresses: readonly string[]): ReadonlySet<LedgerTx>
  /** Every address with a UTXO or a transaction on a chain, in order of first appearance. */
  addresses(chain: ChainAlias): readonly string[]
}

type Known = { readonly utxos: Utxo[]; readonly txs: Set<LedgerTx> }

const chains = ['P', 'X', 'C'] as const

export function createAddressIndex(): AddressIndex {
  const known = new Map<ChainAlias, Map<string, Known>>(chains.map((chain) => [chain, new Map()]))
  const of = (chain: ChainAlias, address: string): Known => {
    const addresses = known.get(chain)!
    const found = addresses.get(address)
    if (found !== undefined) return found
    const made: Known = { utxos: [], txs: new Set() }
    addresses.set(address, made)
    return made
  }
  return {
    addUtxo: (utxo) => {
      const { createdOn, livesOn, owner } = utxo
      for (const address of owner.addresses) {
        of(createdOn, address).utxos.push(utxo)
        if (livesOn !== createdOn) of(livesOn, address).utxos.push(utxo)
      }
    },
    addTx: (tx, addresses) => {
      for (const address of addresses) of(tx.chain, address).txs.add(tx)
    },
    utxos: (chain, addresses) => {
      const found = new Set<Utxo>()
      for (const address of addresses) for (const utxo of known.get(chain)!.get(address)?.utxos ?? []) found.add(utxo)
      return found
    },
    txs: (chain, addresses) => {
      const found = new Set<LedgerTx>()
      for (const address of addresses) for (const tx of known.get(chain)!.get(address)?.txs ?? []) found.add(tx)
      return found
    },
    addresses: (chain) => [...known.get(chain)!.keys()],
  }
}
