import type { Wrapper } from '../../codec/containers.ts'
import { createWriter, type Schema } from '../../codec/linear.ts'
import { type EraName, epochSeconds, since, timeOf } from './genesis.ts'
import { createNoise, type Random } from './random.ts'
import type { NetworkState } from './state.ts'

/** A container of an index, as the node has accepted it. */
export type GeneratedContainer = {
  readonly bytes: Uint8Array
  readonly id: Uint8Array
  /** When the node accepted it, in Unix seconds. Nanoseconds are added later. */
  readonly clock: number
  readonly nanoseconds: number
}

const nothing = new Uint8Array()

/** Wraps the blocks of a chain into the containers of their era. */
type Wrapping = (block: Uint8Array, parentId: Uint8Array, isOption: boolean) => Wrapper

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

/** The DER of a certificate: a sequence that contains an octet string. It is about as long as real certificates with an elliptic key. */
function certificateOf(random: Random): Uint8Array {
  const inner = random.bytes(random.between(190, 220))
  return Uint8Array.of(0x30, 0x81, inner.length + 3, 0x04, 0x81, inner.length, ...inner)
}

function createProposers(random: Random): readonly Uint8Array[] {
  return Array.from({ length: 12 }, () => certificateOf(random))
}

/** A shared buffer for all values: most values are too small to have a growing buffer of their own. */
const scratch = createWriter(1 << 16)

/** The bytes of a value, the same as `encode` of the codec returns. */
export function encodeNow<T>(schema: Schema<T>, value: T): Uint8Array {
  scratch.offset = 0
  schema.write(scratch, value)
  return scratch.bytes.slice(0, scratch.offset)
}
