import type { Wallet } from '../coins.ts'
import { takeAt } from '../funding.ts'
import type { L1Validator } from '../registry.ts'
import type { ChainState } from '../state.ts'

const mostValidators = 256

/** Node ids of an L1 are bytes of any length; most are as long as those of the primary network. */
export function someNodeId(state: ChainState): Uint8Array {
  return state.random.bytes(state.random.oneIn(10) ? 32 : 20)
}

export function someBalance(state: ChainState): bigint {
  return 1_000_000_000n * BigInt(state.random.between(1, 20))
}

export function pChainOwner({ threshold, addresses }: Wallet) {
  return { threshold, addresses }
}

/** Keeps a validator in mind; with too many, another one is forgotten and goes on for ever. */
export function keep(state: ChainState, validator: L1Validator): void {
  if (state.l1Validators.length >= mostValidators) takeAt(state.l1Validators, state.random.below(mostValidators))
  state.l1Validators.push(validator)
}
