import { chainTexts } from '../../../network/genesis.ts'
import type { Amount, CTransaction, XTransaction } from '../ledger/model.ts'
import { type Assets, assetAmounts, coinsOf, differenceOf, sumsOf } from './assets.ts'

export type XOrC = XTransaction | CTransaction

/** Money that a transaction takes and makes, by asset; accounts of the C chain count with it. */
export function movedBy(tx: XOrC): { readonly unlocked: readonly Amount[]; readonly created: readonly Amount[] } {
  const evm = tx.chain === 'C' ? tx.evm : []
  return {
    unlocked: sumsOf([...coinsOf(tx.consumed), ...(tx.type === 'ExportTx' ? evm : [])]),
    created: sumsOf([...coinsOf(tx.emitted), ...(tx.type === 'ImportTx' ? evm : [])]),
  }
}

/** What the specification says of the amounts of a transaction. */
export function specAmounts(tx: XOrC): { readonly value: readonly Amount[]; readonly burned: readonly Amount[] } {
  const { unlocked, created } = movedBy(tx)
  return { value: created, burned: differenceOf(unlocked, created) }
}

/** Fields that both dialects show. */
export function commonFields({ txId, type, memo, sourceChain, destinationChain }: XOrC): object {
  return {
    txHash: txId,
    txType: type,
    memo: `0x${memo}`,
    ...(sourceChain === null ? {} : { sourceChain: chainTexts[sourceChain] }),
    ...(destinationChain === null ? {} : { destinationChain: chainTexts[destinationChain] }),
  }
}

/** The one shape of all chains (specification 2.3), without what there is on P only. */
export function specFields(assets: Assets, tx: XOrC): object {
  const { value, burned } = specAmounts(tx)
  return {
    blockTimestamp: tx.place.time,
    blockNumber: tx.place.height.toString(),
    blockHash: tx.place.blockId,
    value: assetAmounts(assets, value),
    amountBurned: assetAmounts(assets, burned),
  }
}
