import type { Random } from './random.ts'

/** An owner of addresses, which are the same on every chain. */
export type Holder = {
  /** Position among the holders of the network. */
  readonly position: number
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
}

const holderCount = 48

/** Creates the holders. Every sixth holder needs two of three signatures. */
export function createHolders(random: Random): readonly Holder[] {
  return Array.from({ length: holderCount }, (_, position) => {
    const [addressCount, threshold] = position % 6 === 5 ? [3, 2] : [1, 1]
    const addresses = Array.from({ length: addressCount }, () => random.bytes(20)).sort(Buffer.compare)
    return { position, threshold, addresses }
  })
}
