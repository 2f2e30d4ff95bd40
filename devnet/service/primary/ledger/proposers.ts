import type { Wrapper } from '../../../../codec/containers.ts'
import { ripemd160, sha256 } from '../../../../codec/hash.ts'
import { idText, nodeIdText } from '../../../../codec/ids.ts'
import type { ReadContainer } from './containers.ts'
import type { ProposedBlock } from './model.ts'

/** The proposer of a block: its node id is a hash of the wrapper's certificate. Null if the wrapper is not signed. */
export function proposerOf({ id }: ReadContainer, wrapper: Wrapper): ProposedBlock['proposer'] | null {
  if (wrapper.type === 'none' || wrapper.type === 'option' || wrapper.certificate.length === 0) return null
  return {
    nodeId: nodeIdText(ripemd160(sha256(wrapper.certificate))),
    containerId: id,
    parentContainerId: idText(wrapper.parentId),
    pHeight: Number(wrapper.pHeight),
    time: Number(wrapper.time),
  }
}
