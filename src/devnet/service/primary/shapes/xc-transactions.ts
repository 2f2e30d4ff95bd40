import type { Dialect } from '../../../index/methods.ts'
import { chainTexts } from '../../../network/genesis.ts'
import type { Amount, Asset, CTransaction, EvmSide, XTransaction } from '../ledger/model.ts'
import { type Assets, assetAmount, assetAmounts, coinsOf, differenceOf, sumsOf } from './assets.ts'
import { utxoInTransaction, utxoShape } from './utxo.ts'

/** A transaction of the X chain, linear or of before. */
export function xTransactionShape(assets: Assets, tx: XTransaction, dialect: Dialect): object {
  const { unlocked, created } = movedBy(tx)
  const specific =
    dialect === 'spec'
      ? specFields(assets, tx)
      : {
          ...formatFields(tx),
          timestamp: tx.place.time,
          ...(tx.assetCreated === null ? {} : { assetCreated: createdShape(tx.assetCreated) }),
          amountUnlocked: assetAmounts(assets, unlocked),
          amountCreated: assetAmounts(assets, created),
        }
  return { ...commonFields(tx), ...specific, ...utxoFields(assets, tx, dialect) }
}

/** An atomic transaction of the C chain. */
export function cTransactionShape(assets: Assets, tx: CTransaction, dialect: Dialect): object {
  if (dialect === 'spec') return { ...commonFields(tx), ...specFields(assets, tx), ...utxoFields(assets, tx, dialect) }
  const { unlocked, created } = movedBy(tx)
  const { consumedUtxos, emittedUtxos } = utxoFields(assets, tx, dialect)
  return {
    ...commonFields(tx),
    blockHeight: tx.place.height,
    blockHash: tx.place.blockId,
    timestamp: tx.place.time,
    amountUnlocked: assetAmounts(assets, unlocked),
    amountCreated: assetAmounts(assets, created),
    ...(tx.type === 'ImportTx'
      ? { evmOutputs: tx.evm.map((side) => evmShape(assets, side, 'toAddress')), consumedUtxos }
      : { evmInputs: tx.evm.map((side) => evmShape(assets, side, 'fromAddress')), emittedUtxos }),
  }
}

type XOrC = XTransaction | CTransaction

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

function commonFields({ txId, type, memo, sourceChain, destinationChain }: XOrC): object {
  return {
    txHash: txId,
    txType: type,
    memo: `0x${memo}`,
    ...(sourceChain === null ? {} : { sourceChain: chainTexts[sourceChain] }),
    ...(destinationChain === null ? {} : { destinationChain: chainTexts[destinationChain] }),
  }
}

function utxoFields(assets: Assets, tx: XOrC, dialect: Dialect) {
  const utxo = utxoInTransaction(utxoShape(assets, tx.chain, dialect))
  return { consumedUtxos: tx.consumed.map(utxo), emittedUtxos: tx.emitted.map(utxo) }
}

/** The one shape of all chains (specification 2.3), without what there is on P only. */
function specFields(assets: Assets, tx: XOrC): object {
  const { value, burned } = specAmounts(tx)
  return {
    blockTimestamp: tx.place.time,
    blockNumber: tx.place.height.toString(),
    blockHash: tx.place.blockId,
    value: assetAmounts(assets, value),
    amountBurned: assetAmounts(assets, burned),
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

function evmShape(assets: Assets, side: EvmSide, addressField: 'toAddress' | 'fromAddress'): object {
  const shape = { [addressField]: side.address, asset: assetAmount(assets, side) }
  if (addressField === 'toAddress') return shape
  return { ...shape, credentials: side.signatures.map((signature) => ({ signature })) }
}
