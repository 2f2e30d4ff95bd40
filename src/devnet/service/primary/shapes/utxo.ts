import type { Dialect } from '../../../index/methods.ts'
import { chainTexts } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Utxo } from '../ledger/model.ts'
import { type Assets, assetAmount } from './assets.ts'

/** How UTXOs look in the answers of a chain. */
export type UtxoShape = (utxo: Utxo) => object

/**
 * In the specification UTXOs of every chain have the same fields, those of stakes on P only; the real service has another
 * shape for X and C.
 */
export function utxoShape(assets: Assets, chain: ChainAlias, dialect: Dialect): UtxoShape {
  if (chain === 'P') return (utxo) => ({ ...specShape(assets, utxo), ...stakeFields(utxo) })
  return dialect === 'spec' ? (utxo) => specShape(assets, utxo) : (utxo) => xUtxoShape(assets, utxo)
}

/** In lists of UTXOs nothing says which ones are rewards; in transactions something does (real-service.md, d 6). */
export function utxoInTransaction(shape: UtxoShape): UtxoShape {
  return (utxo) => (utxo.rewardType === null ? shape(utxo) : { ...shape(utxo), rewardType: utxo.rewardType })
}

function commonFields(assets: Assets, utxo: Utxo) {
  return {
    addresses: utxo.owner.addresses,
    asset: assetAmount(assets, utxo, utxo.kind.startsWith('nft') ? 'nft' : 'secp256k1'),
    utxoId: utxo.id,
    threshold: utxo.owner.threshold,
    createdOnChainId: chainTexts[utxo.createdOn],
    consumedOnChainId: chainTexts[utxo.livesOn],
  }
}

function specShape(assets: Assets, utxo: Utxo): object {
  const { consumption, created, owner, stakeableLocktime } = utxo
  return {
    ...commonFields(assets, utxo),
    txHash: utxo.txId,
    outputIndex: utxo.index,
    amount: utxo.amount.toString(),
    assetId: utxo.asset,
    utxoType: stakeableLocktime === null ? utxo.kind.toUpperCase() : 'STAKE',
    blockNumber: created.height.toString(),
    blockTimestamp: created.time,
    ...(utxo.createdOn === utxo.livesOn ? { platformLocktime: Number(owner.locktime) } : {}),
    ...(stakeableLocktime === null ? {} : { stakeableLocktime: Number(stakeableLocktime) }),
    ...(consumption === null
      ? {}
      : {
          consumingTxHash: consumption.tx.txId,
          consumingBlockNumber: consumption.tx.place.height.toString(),
          consumingBlockTimestamp: consumption.tx.place.time,
        }),
  }
}

/** Whether a stake holds it, and since when; what it held stays marked by the times. */
function stakeFields({ stake }: Utxo): object {
  if (stake === null) return { staked: false }
  return {
    staked: stake.ended === null,
    utxoStartTimestamp: stake.tx.place.time,
    utxoEndTimestamp: stake.end,
  }
}

function xUtxoShape(assets: Assets, utxo: Utxo): object {
  const { consumption, groupId, payload } = utxo
  return {
    ...commonFields(assets, utxo),
    creationTxHash: utxo.txId,
    outputIndex: utxo.index.toString(),
    utxoType: utxo.kind,
    timestamp: utxo.created.time,
    locktime: Number(utxo.owner.locktime),
    ...(groupId === null ? {} : { groupId }),
    ...(payload === null ? {} : { payload: `0x${payload}` }),
    ...(consumption === null
      ? {}
      : {
          consumingTxHash: consumption.tx.txId,
          consumingTxTimestamp: consumption.tx.place.time,
          credentials: consumption.signatures.map((signature) => ({ signature })),
        }),
  }
}
