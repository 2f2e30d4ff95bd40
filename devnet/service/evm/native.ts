import { accountKeys, genesisBalance, weiPerUnit } from '../../c/state.ts'
import { createHistories } from './histories.ts'

/** Balances of the native token in wei, with their history by block. */
type NativeBalances = {
  add(address: string, wei: bigint, blockNumber: number): void
  /** The balance after a block; 0 for an unknown address. */
  at(address: string, blockNumber: number): bigint
  /** Every address that ever had a balance. */
  addresses(): Iterable<string>
}

/** Creates the balances. In the genesis, each account has the same balance. */
export function createNativeBalances(): NativeBalances {
  const balances = createHistories<bigint>()
  for (const { address } of accountKeys) {
    balances.set(`0x${Buffer.from(address).toString('hex')}`, genesisBalance * weiPerUnit, 0)
  }
  return {
    add: (address, wei, blockNumber) => balances.set(address, (balances.last(address) ?? 0n) + wei, blockNumber),
    at: (address, blockNumber) => balances.at(address, blockNumber) ?? 0n,
    addresses: balances.names,
  }
}
