import { evmChainId } from '../../../c/state.ts'
import type { Dialect } from '../../../index/methods.ts'
import type { EvmBlock } from '../state.ts'

/**
 * A block as the service lists it (specification 000, 2.6). The fields that the real service adds since Granite are only in its dialect.
 */
export function blockItem(block: EvmBlock, dialect: Dialect): object {
  const { milliseconds, minDelayExcess } = block
  const granite =
    dialect === 'node' && milliseconds !== null
      ? { blockTimestampMilliseconds: milliseconds, blockMinDelayExcess: minDelayExcess }
      : {}
  return {
    chainId: String(evmChainId),
    blockNumber: String(block.number),
    blockTimestamp: block.time,
    ...granite,
    blockHash: block.hash,
    txCount: block.txCount,
    baseFee: String(block.baseFee),
    gasUsed: String(block.gasUsed),
    gasLimit: String(block.gasLimit),
    gasCost: String(block.gasCost),
    parentHash: block.parentHash,
    feesSpent: String(block.feesSpent),
    cumulativeTransactions: String(block.cumulativeTransactions),
  }
}
