import { sha256 } from './hash.ts'
import { idText } from './ids.ts'
import { keccak256 } from './keccak.ts'
import { bytes, decodeOrNull, encode, i64, id, struct, u64, union, type ValueOf, versioned } from './linear.ts'
import { itemOfList } from './rlp.ts'

/** `time`: Unix seconds. `certificate`: that of the proposer (DER); empty if the block is unsigned. */
const head = { parentId: id, time: i64, pHeight: u64, certificate: bytes, block: bytes }

/** Wrappers around blocks since Apricot phase 4 (wire-format.md 1.4), with the names of the column `wrapper`. */
export const wrapperSchema = versioned(
  union('proposervm block', {
    0: struct('block', { ...head, signature: bytes }),
    1: struct('option', { parentId: id, block: bytes }),
    2: struct('granite', {
      ...head,
      epoch: struct('Epoch', { pHeight: u64, number: u64, start: i64 }),
      signature: bytes,
    }),
  }),
)

/** The parts of a container. `block` is the inner block. */
export type Wrapper = { readonly type: 'none'; readonly block: Uint8Array } | ValueOf<typeof wrapperSchema>

/** The lowest first byte of an RLP list longer than 55 bytes. Every bare C-Chain block is such a list. */
const firstByteOfRlp = 0xf8

/** Splits a container of a block index. Blocks are wrapped since Apricot phase 4; before, the container is the bare block. */
export function unwrap(container: Uint8Array): Wrapper {
  const decoded = (container[0] ?? 0) >= firstByteOfRlp ? null : decodeOrNull(wrapperSchema, container)
  return decoded?.value ?? { type: 'none', block: container }
}

/** Returns the container of a block: the inverse of `unwrap`. */
export function wrap(wrapper: Wrapper): Uint8Array {
  return wrapper.type === 'none' ? wrapper.block : encode(wrapperSchema, wrapper)
}

/** Returns the bytes that give the id of a wrapped container by sha256. Signed kinds leave out the signature and its length. */
export function hashedPart(container: Uint8Array, wrapper: Wrapper): Uint8Array {
  if (wrapper.type === 'none' || wrapper.type === 'option') return container
  return container.subarray(0, container.length - wrapper.signature.length - 4)
}

/** The parts of a container of P/block, X/block or C/block. */
export type OpenedContainer = {
  readonly wrapper: Wrapper
  /** CB58 id (wire-format.md 1.2). The id of a bare C-Chain block is the hash of its header. Damaged bytes have an id, too. */
  readonly id: string
  /** CB58 id of the parent that the wrapper names; null without a wrapper. */
  readonly parentId: string | null
}

const opened = new WeakMap<Uint8Array, OpenedContainer>()

/**
 * Splits a container and derives its id, once per array of bytes. The source, the check of parents and the decoder share the result. The
 * bytes must not change after the first call.
 */
export function openOnce(container: Uint8Array): OpenedContainer {
  const known = opened.get(container)
  if (known !== undefined) return known
  const wrapper = unwrap(container)
  const one = {
    wrapper,
    id: idOf(container, wrapper),
    parentId: wrapper.type === 'none' ? null : idText(wrapper.parentId),
  }
  opened.set(container, one)
  return one
}

function idOf(container: Uint8Array, wrapper: Wrapper): string {
  if ((container[0] ?? 0) < firstByteOfRlp) return idText(sha256(hashedPart(container, wrapper)))
  return idText(keccak256(itemOfList(container, 0) ?? container))
}

/** Returns the parent in the wrapper, or the parent in the block itself if the block is not wrapped. */
export function parentText(container: Uint8Array, innerParent: (block: Uint8Array) => Uint8Array): string {
  const { wrapper, parentId } = openOnce(container)
  return parentId ?? idText(innerParent(wrapper.block))
}

/** Returns the CB58 id of a container of a block index, derived from its bytes. */
export function containerId(container: Uint8Array): string {
  return openOnce(container).id
}

/** Returns the CB58 id of a container of X/tx or X/vtx. These containers are never wrapped. */
export function plainContainerId(container: Uint8Array): string {
  return idText(sha256(container))
}
