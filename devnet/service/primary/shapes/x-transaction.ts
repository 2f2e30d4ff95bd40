import type { Dialect } from '../../../index/methods.ts'
import type { Asset, XTransaction } from '../ledger/model.ts'
import { type Assets, assetAmounts } from './assets.ts'
import { commonFields, movedBy, specFields } from './xc-amounts.ts'

/** A transaction of the X-Chain without its UTXOs, from before or after the chain became linear. */
export function xTransactionHead(assets: Assets, tx: XTransaction, dialect: Dialect): object {
  if (dialect === 'spec') return { ...commonFields(tx), ...specFields(assets, tx) }
  const { unlocked, created } = movedBy(tx)
  return {
    ...commonFields(tx),
    ...formatFields(tx),
    timestamp: tx.place.time,
    ...(tx.assetCreated === null ? {} : { assetCreated: createdShape(tx.assetCreated) }),
    amountUnlocked: assetAmounts(assets, unlocked),
    amountCreated: assetAmounts(assets, created),
  }
}

function formatFields({ vertex, place }: XTransaction): object {
  if (vertex === null) return { chainFormat: 'linear', blockHeight: place.height, blockHash: place.blockId }
  const { id, height, time } = vertex
  return { chainFormat: 'non-linear', vertices: [{ hash: id, height, timestamp: time }] }
}

function createdShape({ id, createdAt, ...asset }: Asset): object {
  return { assetId: id, ...asset, createdAtTimestamp: createdAt }
}
