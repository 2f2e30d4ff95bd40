import type { EvmBlock } from './state.ts'

/** A transfer or transaction in its block. */
type Placed = { readonly block: Pick<EvmBlock, 'number'> }

/** Positions `[from, to)` of the transfers in blocks `[startBlock, endBlock)`, in a list in chain order. */
export function sliceOf(
  transfers: readonly Placed[],
  startBlock: number | undefined,
  endBlock: number | undefined,
): { readonly from: number; readonly to: number } {
  const from = startBlock === undefined ? 0 : firstFrom(transfers, startBlock)
  const to = endBlock === undefined ? transfers.length : firstFrom(transfers, endBlock)
  return { from, to: Math.max(from, to) }
}

/** Position of the first transfer in this block or a later one. */
function firstFrom(transfers: readonly Placed[], blockNumber: number): number {
  let low = 0
  let high = transfers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (transfers[middle]!.block.number >= blockNumber) high = middle
    else low = middle + 1
  }
  return low
}
