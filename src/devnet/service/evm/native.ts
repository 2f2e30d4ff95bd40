import { accountKeys, genesisBalance, weiPerUnit } from '../../c/state.ts'
import { createHistories } from './histories.ts'

/** Balances of the native token in wei, with what they were after earlier blocks. */
export type NativeBalances = {
  add(address: string, wei: bigint, blockNumber: number): void
  /** After a block; 0 for an unknown address. */
  at(address: string, blockNumber: number): bigint
  /** Every address that has ever had something. */
  addresses(): Iterable<string>
}

/** In the genesis each account has the same balance. */
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
