import type { Wrapper } from '../../codec/proposervm.ts'
import { epochSeconds, since, timeOf } from './eras.ts'
import { createProposers } from './proposers.ts'
import type { ChainState } from './state.ts'

const nothing = new Uint8Array()

/** Puts blocks into the containers of their era. */
export type Wrapping = (block: Uint8Array, parentId: Uint8Array, isOption: boolean) => Wrapper

export function createWrapping(state: ChainState): Wrapping {
  const proposers = createProposers(state.random)
  const epoch = { number: 0n, start: 0n, pHeight: 0n }
  return (block, parentId, isOption) => {
    if (!since(state.era, 'apricot4')) return { kind: 'none', block }
    if (isOption) return { kind: 'option', parentId, block }
    const signed = state.random.oneIn(4)
    const common = {
      parentId,
      time: BigInt(state.clock),
      pHeight: BigInt(Math.max(0, state.height - 1 - state.random.below(4))),
      certificate: signed ? state.random.pick(proposers) : nothing,
      block,
      signature: signed ? state.noise(state.random.between(70, 72)) : nothing,
    }
    if (!since(state.era, 'granite')) return { kind: 'block', ...common }
    const number = Math.floor((state.clock - timeOf('granite')) / epochSeconds) + 1
    if (BigInt(number) !== epoch.number) {
      epoch.number = BigInt(number)
      epoch.start = BigInt(timeOf('granite') + (number - 1) * epochSeconds)
      epoch.pHeight = common.pHeight
    }
    return { kind: 'granite', ...common, epoch: { ...epoch } }
  }
}
