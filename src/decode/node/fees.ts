import type { nodeFees } from '../../../schemas/node-fees.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish } from '../json/fields.ts'
import { u64 } from '../json/value-fields.ts'
import type { ChainPlace } from './place.ts'

/**
 * Reads the fees of a chain of the asset VM (xvm.getTxFee, specification 4.1), in the least unit of the fee asset: nAVAX on the X-Chain.
 */
export function decodeFees({ network, blockchainId, subject }: ChainPlace) {
  return (answer: unknown, context: ReadingContext): Page<{ fees: typeof nodeFees }> => {
    const at = answerObject(answer, 'answer', context)
    const row = {
      network,
      blockchain_id: blockchainId,
      subject,
      observation_id: context.observationId,
      observed_at: context.observedAt,
      tx_fee: u64(at, 'txFee'),
      create_asset_tx_fee: u64(at, 'createAssetTxFee'),
    }
    finish(at)
    return { rows: { fees: [row] }, items: [], next: null }
  }
}
