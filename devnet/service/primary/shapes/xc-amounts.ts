import { chainTexts } from '../../../network/genesis.ts'
import type { Amount, CTransaction, XTransaction } from '../ledger/model.ts'
import { type Assets, assetAmounts, coinsOf, differenceOf, sumsOf } from './assets.ts'

type XOrC = XTransaction | CTransaction

/** Amounts that a transaction consumes and creates, by asset, including those of C-Chain accounts. */
export function movedBy(tx: XOrC): { readonly unlocked: readonly Amount[]; readonly created: readonly Amount[] } {
  const evm = tx.chain === 'C' ? tx.evm : []
  return {
    unlocked: sumsOf([...coinsOf(tx.consumed), ...(tx.type === 'ExportTx' ? evm : [])]),
    created: sumsOf([...coinsOf(tx.emitted), ...(tx.type === 'ImportTx' ? evm : [])]),
  }
}

/** The amounts of a transaction in the specification. */
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

/** The fields that the specification has for all chains (2.3), without those of the P-Chain only. */
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
