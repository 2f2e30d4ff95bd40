import type { Wrapper } from '../../codec/containers.ts'
import { type EraName, epochSeconds, since, timeOf } from './eras.ts'
import { createNoise } from './noise.ts'
import { createProposers } from './proposers.ts'
import type { Random } from './random.ts'
import type { NetworkState } from './state.ts'

const nothing = new Uint8Array()

/** Wraps the blocks of a chain into the containers of their era. */
export type Wrapping = (block: Uint8Array, parentId: Uint8Array, isOption: boolean) => Wrapper

/** `from`: the era since which blocks of the chain are wrapped. `random`: chooses the proposers and their signatures. */
export function createWrapping(network: NetworkState, from: EraName, random: Random): Wrapping {
  const noise = createNoise(random)
  const proposers = createProposers(random)
  const epoch = { number: 0n, start: 0n, pHeight: 0n }
  return (block, parentId, isOption) => {
    if (!since(network.era, from)) return { type: 'none', block }
    if (isOption) return { type: 'option', parentId, block }
    const signed = random.oneIn(4)
    const common = {
      parentId,
      time: BigInt(network.clock),
      pHeight: BigInt(Math.max(0, network.pHeight - 1 - random.below(4))),
      certificate: signed ? random.pick(proposers) : nothing,
      block,
      signature: signed ? noise(random.between(70, 72)) : nothing,
    }
    if (!since(network.era, 'granite')) return { type: 'block', ...common }
    const number = Math.floor((network.clock - timeOf('granite')) / epochSeconds) + 1
    if (BigInt(number) !== epoch.number) {
      epoch.number = BigInt(number)
      epoch.start = BigInt(timeOf('granite') + (number - 1) * epochSeconds)
      epoch.pHeight = common.pHeight
    }
    return { type: 'granite', ...common, epoch: { ...epoch } }
  }
}
