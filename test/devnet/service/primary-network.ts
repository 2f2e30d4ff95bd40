import { putChecksum } from '../../../codec/hash.ts'
import { idText } from '../../../codec/ids.ts'
import type { GrowingNetwork } from '../../../devnet/chains/growing-network.ts'
import { type IndexPath, indexPaths, type NetworkSettings } from '../../../devnet/chains/network.ts'
import { memoryStore } from '../../../devnet/index/store.ts'
import { generate } from '../follow.ts'

export type StepNetwork = Pick<GrowingNetwork, 'stores'> & {
  /** Moves the head to this number of steps. */
  moveTo(steps: number): void
}

/** A network in memory. Its head is at `steps` and can move up to `most`. */
export function stepNetwork(settings: NetworkSettings, steps: number, most: number): StepNetwork {
  const made = generate(settings, most)
  let head = steps
  const storeOf = (path: IndexPath) => {
    const counts = [0]
    const containers = made.flatMap((step) => {
      counts.push(counts.at(-1)! + step[path].length)
      return step[path].map(({ id, bytes, clock }) => {
        const checksum = new Uint8Array(4)
        putChecksum(bytes, checksum, 0)
        const hex = `0x${Buffer.concat([bytes, checksum]).toString('hex')}`
        return { id: idText(id), hex, timestamp: new Date(clock * 1000).toISOString() }
      })
    })
    return { ...memoryStore(containers), count: () => counts[head]! }
  }
  return {
    stores: Object.fromEntries(indexPaths.map((path) => [path, storeOf(path)])) as GrowingNetwork['stores'],
    moveTo: (wanted) => {
      head = wanted
    },
  }
}
