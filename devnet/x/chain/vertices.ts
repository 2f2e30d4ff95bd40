import { sha256 } from '../../../codec/hash.ts'
import { xVertex } from '../../../codec/x.ts'
import { encodeNow } from '../../network/encode.ts'
import { chainIds } from '../../network/genesis.ts'
import type { Random } from '../../network/random.ts'

export type Vertex = { readonly bytes: Uint8Array; readonly id: Uint8Array }

/** The X-Chain before Cortina: a graph of vertices. */
type XVertices = {
  /** Puts transactions into a vertex. */
  add(txs: readonly Uint8Array[]): Vertex
  /** Creates the last vertex. The linear chain follows it. */
  stop(): Vertex
}

type Tip = { readonly id: Uint8Array; readonly height: bigint }

/** The maximum number of vertices without a child. The next vertex then has all of them as parents. */
const mostTips = 3

export function createXVertices(random: Random): XVertices {
  let tips: readonly Tip[] = []
  let lastParents: readonly Tip[] = []
  const grow = (parents: readonly Tip[], bytesOf: (height: bigint, parentIDs: Uint8Array[]) => Uint8Array): Vertex => {
    const height = parents.reduce((most, tip) => (tip.height >= most ? tip.height + 1n : most), 0n)
    const bytes = bytesOf(height, parents.map(({ id }) => id).sort(Buffer.compare))
    const id = sha256(bytes)
    tips = [...tips.filter((tip) => !parents.includes(tip)), { id, height }]
    lastParents = parents
    return { bytes, id }
  }
  const chainID = chainIds.X
  return {
    add: (txs) => {
      // Sometimes a vertex has the same parents as the last one.
      const parents = tips.length < mostTips && random.oneIn(3) ? lastParents : tips
      return grow(parents, (height, parentIDs) => {
        return encodeNow(xVertex, { type: 'Vertex', chainID, height, epoch: 0, parentIDs, txs })
      })
    },
    stop: () =>
      grow(tips, (height, parentIDs) => encodeNow(xVertex, { type: 'StopVertex', chainID, height, parentIDs })),
  }
}
