import { type EvmTx, signedChainId } from '../../../codec/c.ts'
import type { EvmResult } from '../../service/evm/state.ts'
import { data, quantity } from './hex.ts'

/** The position of a transaction in the chain. */
export type Position = {
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionIndex: string
}

/** A transaction as eth_getBlockByNumber returns it. The gas price of an accepted transaction is the price that it paid. */
export function transactionJson(tx: EvmTx, hash: string, position: Position, result: EvmResult): object {
  const chainId = signedChainId(tx)
  return {
    blockHash: position.blockHash,
    blockNumber: position.blockNumber,
    from: result.sender,
    gas: quantity(tx.gas),
    gasPrice: quantity(result.price),
    ...(tx.type === 'DynamicFeeTx'
      ? { maxFeePerGas: quantity(tx.maxFeePerGas), maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGas) }
      : {}),
    hash,
    input: data(tx.input),
    nonce: quantity(tx.nonce),
    to: tx.to === null ? null : data(tx.to),
    transactionIndex: position.transactionIndex,
    value: quantity(tx.value),
    type: typeOf(tx),
    ...(tx.type === 'LegacyTx' ? {} : { accessList: accessListOf(tx) }),
    ...(chainId === null ? {} : { chainId: quantity(chainId) }),
    v: quantity(tx.v),
    r: quantity(tx.r),
    s: quantity(tx.s),
    ...(tx.type === 'LegacyTx' ? {} : { yParity: quantity(tx.v) }),
  }
}

export function typeOf({ type }: EvmTx): string {
  return { LegacyTx: '0x0', AccessListTx: '0x1', DynamicFeeTx: '0x2' }[type]
}

function accessListOf({ accessList }: Exclude<EvmTx, { type: 'LegacyTx' }>): object[] {
  return accessList.map(({ address, storageKeys }) => ({ address: data(address), storageKeys: storageKeys.map(data) }))
}
