import type { EvmState } from '../../service/evm/state.ts'
import { quantity } from './hex.ts'
import type { EvmMethods } from './method.ts'
import type { EvmReader } from './reader.ts'

/** Number of blocks that determine the suggested tip. */
const sample = 20

/** The gas price for the next block: the base fee of the last block, and the median of recent tips. */
export function feeMethods({ state }: EvmReader): EvmMethods {
  return {
    eth_baseFee: async () => quantity(baseFeeOf(await state())),
    eth_maxPriorityFeePerGas: async () => quantity(tipOf(await state())),
    eth_gasPrice: async () => {
      const now = await state()
      return quantity(baseFeeOf(now) + tipOf(now))
    },
  }
}

function baseFeeOf({ blocks }: EvmState): bigint {
  return blocks.at(-1)?.baseFee ?? 0n
}

function tipOf({ blocks, results }: EvmState): bigint {
  const tips = blocks.slice(-sample).flatMap(({ number, baseFee }) => {
    return results[number - 1]!.map(({ price }) => price - baseFee)
  })
  const [median] = tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).slice(Math.floor(tips.length / 2))
  return median === undefined || median < 1n ? 1n : median
}
