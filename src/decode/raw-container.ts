import { containerId, plainContainerId } from '../../codec/container-id.ts'
import type { ContainerRow } from '../../schemas/containers.ts'
import type { ChainContext, Container } from '../model.ts'
import { acceptedColumns } from './container-facts.ts'
import { checkId, decoding } from './open-container.ts'

/**
 * Creates a decoder of rows of the table `containers`. `index` is the last part of the path of the index: `block`, `tx` or `vtx`. The
 * decoder throws `DecodeError` if the id derived from the bytes of a container differs from its id.
 */
export function decodeRawContainer(
  index: string,
): (container: Container, context: ChainContext) => { containers: ContainerRow[] } {
  const derive = index === 'block' ? containerId : plainContainerId
  return (container, context) => {
    checkId(
      container,
      decoding(container, () => derive(container.bytes)),
    )
    return {
      containers: [
        {
          network: context.network,
          chain: index === 'block' ? context.chain : `${context.chain}/${index}`,
          container_index: container.index,
          container_id: container.id,
          ...acceptedColumns(container),
          bytes: container.bytes,
        },
      ],
    }
  }
}
