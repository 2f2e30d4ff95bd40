import type { Dialect } from '../../../index/methods.ts'
import type { CTransaction, EvmSide } from '../ledger/model.ts'
import { type Assets, assetAmount, assetAmounts } from './assets.ts'
import { commonFields, movedBy, specFields } from './xc-amounts.ts'

/** An atomic transaction of the C-Chain without its UTXOs. */
export function cTransactionHead(assets: Assets, tx: CTransaction, dialect: Dialect): object {
  if (dialect === 'spec') return { ...commonFields(tx), ...specFields(assets, tx) }
  const { unlocked, created } = movedBy(tx)
  return {
    ...commonFields(tx),
    blockHeight: tx.place.height,
    blockHash: tx.place.blockId,
    timestamp: tx.place.time,
    amountUnlocked: assetAmounts(assets, unlocked),
    amountCreated: assetAmounts(assets, created),
    ...(tx.type === 'ImportTx'
      ? { evmOutputs: tx.evm.map((side) => ({ toAddress: side.address, asset: assetAmount(assets, side) })) }
      : { evmInputs: tx.evm.map((side) => inputShape(assets, side)) }),
  }
}

function inputShape(assets: Assets, side: EvmSide): object {
  const credentials = side.signatures.map((signature) => ({ signature }))
  return { fromAddress: side.address, asset: assetAmount(assets, side), credentials }
}
