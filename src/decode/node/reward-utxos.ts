import type { NodeRewardUtxos } from '../../../schemas/node-reward-utxos.ts'
import type { PStateOutput } from '../../../schemas/p-state-outputs.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, wrong } from '../json/fields.ts'
import { pStateOutput } from './state-outputs.ts'
import { listedUtxos } from './utxo-list.ts'

type RewardQuestion = {
  readonly network: string
  readonly hrp: string
  readonly txId: string
  /** The staking transaction. It differs from `txId` only for the periods of an auto-renewed validator. */
  readonly stakedTxId: string
  /** Whether the node knows the block that decided the reward. If not, an empty answer may still change. */
  readonly isDecided: boolean
}

type Rows = { rewards: NodeRewardUtxos[]; outputs: PStateOutput[] }

/**
 * Reads the UTXOs that pay the rewards of a staking transaction (platform.getRewardUTXOs), and adds a row that records the request, because
 * there may be no UTXOs. An empty answer that is not final, for example from a node that lags behind, gives no row. Throws `DecodeError`
 * for a UTXO of another transaction than the requested one.
 */
export function decodeRewardUtxos({ network, hrp, txId, stakedTxId, isDecided }: RewardQuestion) {
  return (answer: unknown, context: ReadingContext): Omit<Page, 'rows'> & { readonly rows: Rows } => {
    const at = answerObject(answer, 'answer', context)
    const utxos = listedUtxos(at, { chain: 'P', fxs: null, hrp })
    finish(at)
    utxos.forEach(({ tx_id }, position) => {
      if (tx_id !== txId) throw wrong(`utxos[${position}]`, `is none of transaction ${txId}`, tx_id)
    })
    const requested = {
      network,
      tx_id: txId,
      staked_tx_id: stakedTxId,
      utxo_ids: utxos.map(({ utxo_id }) => utxo_id),
      observed_at: context.observedAt,
    }
    const outputs = utxos.map((utxo) => pStateOutput(utxo, network, { origin: 'reward', stakedTxId }))
    const isFinal = isDecided || utxos.length > 0
    return { rows: { rewards: isFinal ? [requested] : [], outputs }, items: [], next: null }
  }
}
