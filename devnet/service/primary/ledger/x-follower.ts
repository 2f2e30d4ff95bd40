import { unwrap } from '../../../../codec/containers.ts'
import { sha256 } from '../../../../codec/hash.ts'
import { idText, txIdInBlock } from '../../../../codec/ids.ts'
import { decodeExactly, decodeWithSpans } from '../../../../codec/linear.ts'
import { signedXTx, type XCodec, xVertex } from '../../../../codec/x.ts'
import type { Journal } from './journal.ts'
import type { Place, Vertex } from './model.ts'
import type { Follower } from './p-follower.ts'
import { proposerOf } from './proposers.ts'
import { enterX } from './x-transactions.ts'

/** Follows X/block, or the blocks of another chain of the asset VM. */
export function createXFollower(journal: Journal, codec: XCodec): Follower {
  return {
    add: (container) => {
      const wrapper = unwrap(container.bytes)
      const { value: block, spans } = decodeWithSpans(codec.block, wrapper.block, `X ${container.index}`)
      const blockId = idText(sha256(wrapper.block))
      const place: Place = { height: Number(block.height), blockId, time: Number(block.time) }
      journal.times.X = place.time
      journal.tally.add('x_blocks')
      const txIds = block.txs.map((tx, position) => {
        const slice = wrapper.block.subarray(spans[2 * position]!, spans[2 * position + 1]!)
        return enterX(journal, tx, txIdInBlock(slice), { place, vertex: null })
      })
      const proposer = proposerOf(container, wrapper)
      if (proposer === null) return
      const bytes = wrapper.block.length
      const parentId = idText(block.parentID)
      journal.proposed.push({ chain: 'X', place, parentId, type: block.type, txIds, bytes, state: null, proposer })
    },
  }
}

/** Follows X/vtx, the X-Chain from before it was linear. A vertex contains complete transactions. */
export function createVertexFollower(journal: Journal): Follower {
  return {
    add: ({ id, bytes, index, acceptedAt }) => {
      const value = decodeExactly(xVertex, bytes, `X/vtx ${index}`)
      const txs = value.type === 'Vertex' ? value.txs : []
      const txIds = txs.map(sha256)
      const vertex: Vertex = {
        id,
        parentIds: value.parentIDs.map(idText),
        height: Number(value.height),
        index,
        time: acceptedAt,
        txIds: txIds.map(idText),
        bytes: bytes.length,
      }
      journal.vertices.push(vertex)
      journal.times.X = acceptedAt
      journal.tally.add('x_vertices')
      const place: Place = { height: vertex.height, blockId: id, time: acceptedAt }
      txs.forEach((tx, position) => {
        enterX(journal, decodeExactly(signedXTx, tx, `X/vtx ${index}`), txIds[position]!, { place, vertex })
      })
    },
  }
}
