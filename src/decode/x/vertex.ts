import { idText } from '../../../codec/cb58.ts'
import { plainContainerId } from '../../../codec/container-id.ts'
import { decodeExactly } from '../../../codec/linear/index.ts'
import { xVertex } from '../../../codec/x/vertices.ts'
import type { XVertex as XVertexRow } from '../../../schemas/x-vertices.ts'
import type { ChainContext, Container } from '../../model.ts'
import { acceptedColumns } from '../container-facts.ts'
import { boundedNumber } from '../numbers.ts'
import { checkId, decoding } from '../open-container.ts'
import { mustBeOfChain } from '../stated-network.ts'

/**
 * Returns the row of a container of X/vtx, the index of the X-Chain's vertices from before it became linear. Throws `DecodeError` (facts:
 * container, index, path, offset) if the id derived from the bytes differs, or if the bytes are not a vertex to the last byte.
 */
export function decodeXVertex(container: Container, context: ChainContext): { vertices: XVertexRow[] } {
  return decoding(container, () => {
    checkId(container, plainContainerId(container.bytes))
    const vertex = decodeExactly(xVertex, container.bytes, 'vertex')
    mustBeOfChain(vertex.chainID, container, context)
    return {
      vertices: [
        {
          network: context.network,
          blockchain_id: context.blockchainId,
          vertex_id: container.id,
          height: boundedNumber(vertex.height, 'vertex.height'),
          parent_ids: vertex.parentIDs.map(idText),
          tx_ids: vertex.type === 'Vertex' ? vertex.txs.map(plainContainerId) : [],
          vertex_type: vertex.type,
          ...acceptedColumns(container),
          container_index: container.index,
          byte_length: container.bytes.length,
        },
      ],
    }
  })
}
