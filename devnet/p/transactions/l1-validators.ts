import type { Wallet } from '../../utxo/coins.ts'
import { takeAt } from '../../utxo/funding.ts'
import type { L1Validator } from '../registry.ts'
import type { PState } from '../state.ts'

const mostValidators = 256

/** Node ids of an L1 are bytes of any length. Most are as long as those of the primary network. */
export function someNodeId(state: PState): Uint8Array {
  return state.network.random.bytes(state.network.random.oneIn(10) ? 32 : 20)
}

export function someBalance(state: PState): bigint {
  return 1_000_000_000n * BigInt(state.network.random.between(1, 20))
}

export function pChainOwner({ threshold, addresses }: Wallet) {
  return { threshold, addresses }
}

/** Tracks a validator. If there are too many, another validator is no longer tracked and never ends. */
export function keep(state: PState, validator: L1Validator): void {
  if (state.l1Validators.length >= mostValidators)
    takeAt(state.l1Validators, state.network.random.below(mostValidators))
  state.l1Validators.push(validator)
}
