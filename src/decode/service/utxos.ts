import type { RestUtxo } from '../../../schemas/rest-utxos.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { type ListedChain, listPage, secondsOf } from './list-page.ts'
import { utxo } from './utxo.ts'

/** Reads the UTXOs of addresses (specification 4.2). One table holds those of the P-Chain, X-Chain and C-Chain. */
export function decodeUtxos({ network, blockchainId, requested }: ListedChain) {
  return (answer: unknown, context: ReadingContext): Page => {
    const observation = {
      network,
      blockchain_id: blockchainId,
      observation_id: context.observationId,
      observed_at: context.observedAt,
      version_hash: '',
      present: true,
    }
    const { rows, items, next } = listPage(
      answer,
      context,
      'utxos',
      requested,
      (at, chainName): RestUtxo => Object.assign(utxo(at), observation, { chain_name: chainName }),
      ({ utxo_id, block_time }) => ({ key: utxo_id, time: secondsOf(block_time) }),
    )
    return { rows: { utxos: rows }, items, next }
  }
}
