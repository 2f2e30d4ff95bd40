import { accountKeys, genesisBalance, weiPerUnit } from '../../c/state.ts'

/** Balances of the native token in wei, with what they were after earlier blocks. */
export type NativeBalances = {
  add(address: string, wei: bigint, blockNumber: number): void
  /** After a block; 0 for an unknown address. */
  at(address: string, blockNumber: number): bigint
}

type History = { readonly blocks: number[]; readonly balances: bigint[] }

/** In the genesis each account has the same balance. */
export function createNativeBalances(): NativeBalances {
  const histories = new Map<string, History>()
  for (const { address } of accountKeys) {
    const name = `0x${Buffer.from(address).toString('hex')}`
    histories.set(name, { blocks: [0], balances: [genesisBalance * weiPerUnit] })
  }
  return {
    add: (address, wei, blockNumber) => {
      const history = histories.get(address)
      if (history === undefined) {
        histories.set(address, { blocks: [blockNumber], balances: [wei] })
        return
      }
      const { blocks, balances } = history
      const last = blocks.length - 1
      if (blocks[last] === blockNumber) balances[last]! += wei
      else {
        blocks.push(blockNumber)
        balances.push(balances[last]! + wei)
      }
    },
    at: (address, blockNumber) => {
      const history = histories.get(address)
      if (history === undefined) return 0n
      const after = firstAfter(history.blocks, blockNumber)
      return after === 0 ? 0n : history.balances[after - 1]!
    },
  }
}

/** Index of the first number above a limit in a sorted list; its length when there is none. */
function firstAfter(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! > limit) high = middle
    else low = middle + 1
  }
  return low
}
