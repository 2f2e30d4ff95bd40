import { idText } from './cb58.ts'
import { sha256 } from './hash.ts'
import { bytes, decodeOrNull, encode, i64, id, struct, u64, union, versioned } from './linear/index.ts'

const head = { parentID: id, timestamp: i64, pChainHeight: u64, certificate: bytes, block: bytes }

/** Wrappers around blocks since Apricot phase 4 (wire-format.md 1.4). Times are in Unix seconds. */
export const wrapperSchema = versioned(
  union('proposervm block', {
    0: struct('SignedBlock', { ...head, signature: bytes }),
    1: struct('Option', { parentID: id, block: bytes }),
    2: struct('GraniteBlock', {
      ...head,
      epoch: struct('Epoch', { pChainHeight: u64, number: u64, startTime: i64 }),
      signature: bytes,
    }),
  }),
)

type Signed = {
  readonly parentId: Uint8Array
  /** Unix seconds. */
  readonly time: bigint
  readonly pHeight: bigint
  /** DER certificate of the proposer; empty if the block is unsigned. */
  readonly certificate: Uint8Array
  readonly block: Uint8Array
  readonly signature: Uint8Array
}
/** `start`: Unix seconds. */
type Epoch = { readonly pHeight: bigint; readonly number: bigint; readonly start: bigint }

/** The parts of a container. `block` is the inner block. */
export type Wrapper =
  | { readonly kind: 'none'; readonly block: Uint8Array }
  | ({ readonly kind: 'block' } & Signed)
  | { readonly kind: 'option'; readonly parentId: Uint8Array; readonly block: Uint8Array }
  | ({ readonly kind: 'granite'; readonly epoch: Epoch } & Signed)

/** The lowest first byte of an RLP list longer than 55 bytes. Every bare C-Chain block is such a list. */
export const firstByteOfRlp = 0xf8

/** Splits a container of a block index. Blocks are wrapped since Apricot phase 4; before, the container is the bare block. */
export function unwrap(container: Uint8Array): Wrapper {
  const decoded = (container[0] ?? 0) >= firstByteOfRlp ? null : decodeOrNull(wrapperSchema, container)
  if (decoded === null) return { kind: 'none', block: container }
  const { value } = decoded
  if (value.type === 'Option') return { kind: 'option', parentId: value.parentID, block: value.block }
  const { parentID: parentId, timestamp: time, pChainHeight: pHeight, certificate, block, signature } = value
  // Each literal lists all fields. With a spread, creating and reading the object takes many times as long.
  if (value.type === 'SignedBlock') return { kind: 'block', parentId, time, pHeight, certificate, block, signature }
  const { pChainHeight, number, startTime } = value.epoch
  const epoch = { pHeight: pChainHeight, number, start: startTime }
  return { kind: 'granite', epoch, parentId, time, pHeight, certificate, block, signature }
}

/** Returns the container of a block: the inverse of `unwrap`. */
export function wrap(wrapper: Wrapper): Uint8Array {
  if (wrapper.kind === 'none') return wrapper.block
  if (wrapper.kind === 'option')
    return encode(wrapperSchema, { type: 'Option', parentID: wrapper.parentId, block: wrapper.block })
  const signed = {
    parentID: wrapper.parentId,
    timestamp: wrapper.time,
    pChainHeight: wrapper.pHeight,
    certificate: wrapper.certificate,
    block: wrapper.block,
    signature: wrapper.signature,
  }
  if (wrapper.kind === 'block') return encode(wrapperSchema, { type: 'SignedBlock', ...signed })
  const { pHeight, number, start } = wrapper.epoch
  return encode(wrapperSchema, {
    type: 'GraniteBlock',
    ...signed,
    epoch: { pChainHeight: pHeight, number, startTime: start },
  })
}

/** Returns the bytes that give the id of a wrapped container by sha256. Signed kinds leave out the signature and its length. */
export function hashedPart(container: Uint8Array, wrapper: Wrapper): Uint8Array {
  if (wrapper.kind === 'none' || wrapper.kind === 'option') return container
  return container.subarray(0, container.length - wrapper.signature.length - 4)
}

/** Returns the CB58 id of a P- or X-Chain container from its bytes (wire-format.md 1.2). */
export function wrappedContainerId(container: Uint8Array, wrapper: Wrapper): string {
  return idText(sha256(hashedPart(container, wrapper)))
}
