import { idText } from './cb58.ts'
import { sha256 } from './hash.ts'
import { openOnce } from './opened-container.ts'

/** Returns the CB58 id of a container of a block index, derived from its bytes. */
export function containerId(container: Uint8Array): string {
  return openOnce(container).id
}

/** Returns the CB58 id of a container of X/tx or X/vtx. These containers are never wrapped. */
export function plainContainerId(container: Uint8Array): string {
  return idText(sha256(container))
}
