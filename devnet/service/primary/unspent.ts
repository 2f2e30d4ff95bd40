import type { ChainAlias } from '../../network/shared-memory.ts'
import type { PrimaryState } from './ledger/ledger.ts'
import type { Utxo } from './ledger/model.ts'

/** UTXOs that an address can spend on a chain: created there, not exported and not staked; newest first. */
export function unspentOf({ addresses }: PrimaryState, chain: ChainAlias, address: string): Utxo[] {
  return [...addresses.utxos(chain, [address])].filter((utxo) => isUnspent(utxo, chain, chain)).reverse()
}

/** UTXOs that one chain has exported to another for an address and that have not been imported yet; newest first. */
export function exportedTo({ addresses }: PrimaryState, from: ChainAlias, to: ChainAlias, address: string): Utxo[] {
  return [...addresses.utxos(to, [address])].filter((utxo) => isUnspent(utxo, from, to)).reverse()
}

/** Whether a UTXO that was created on the chain `from` can be spent on the chain `on`, which may be the same. */
export function isUnspent(utxo: Utxo, from: ChainAlias, on: ChainAlias): boolean {
  const { createdOn, livesOn, consumption, stake } = utxo
  return createdOn === from && livesOn === on && consumption === null && (stake === null || stake.ended !== null)
}
