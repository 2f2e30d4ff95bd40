import type { PStateOutput } from '../../../schemas/p-state-outputs.ts'
import type { XStateOutput } from '../../../schemas/x-state-outputs.ts'
import { DecodeError } from '../../errors.ts'
import type { Utxo } from './utxo.ts'

/** A transaction with UTXOs in the state of the chain that no container holds: all from an index on. */
export type StateTransaction = {
  readonly origin: 'reward' | 'refund' | 'genesis'
  readonly firstIndex: number
  /** The staking transaction of a reward. */
  readonly stakedTxId: string | null
}

/** By transaction id. */
export type StateTransactions = ReadonlyMap<string, StateTransaction>

/** Returns the transaction of the state that created a UTXO. Null if none is known: a container then holds the UTXO, or will hold it. */
export function stateTransactionOf({ tx_id, output_index }: Utxo, known: StateTransactions): StateTransaction | null {
  const made = known.get(tx_id)
  return made !== undefined && output_index >= made.firstIndex ? made : null
}

export function pStateOutput(
  utxo: Utxo,
  network: string,
  { origin, stakedTxId }: Pick<StateTransaction, 'origin' | 'stakedTxId'>,
): PStateOutput {
  const { output_type, group_id, payload, amount, ...columns } = utxo
  if (amount === null)
    throw new DecodeError(`UTXO ${utxo.utxo_id} of the P chain has no amount.`, { details: { type: output_type } })
  return { network, ...columns, amount, origin, staked_tx_id: stakedTxId }
}

export function xStateOutput(
  utxo: Utxo,
  network: string,
  blockchainId: string,
  { origin }: Pick<StateTransaction, 'origin'>,
): XStateOutput {
  const { stakeable_locktime, ...columns } = utxo
  return { network, blockchain_id: blockchainId, ...columns, origin }
}
