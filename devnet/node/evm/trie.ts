import { keccak256 } from '../../../codec/keccak.ts'
import { encodeRlp, type Rlp } from '../../c/rlp.ts'

/** A Merkle Patricia trie (yellow paper, appendix D) with hashed keys, like the tries of accounts and storage. */
export type Trie = {
  readonly root: Uint8Array
  /** The nodes from the root down to a key. If the trie does not contain the key, the nodes that prove this. */
  prove(key: Uint8Array): readonly Uint8Array[]
}

type Entry = { readonly path: string; readonly value: Uint8Array }

/** A parent contains the child nodes that are shorter than a hash (bytes). */
const hashBytes = 32

/** `entries`: keys before hashing, with their values. */
export function createTrie(entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Trie {
  const sorted = Array.from(entries, ([key, value]): Entry => ({ path: pathOf(key), value })).sort((a, b) =>
    a.path < b.path ? -1 : 1,
  )
  return {
    root: keccak256(encodeRlp(nodeOf(sorted, 0))),
    prove: (key) => (sorted.length === 0 ? [] : proofOf(sorted, 0, pathOf(key))),
  }
}

/** Nibbles of the hash of a key, one hex digit each. */
function pathOf(key: Uint8Array): string {
  return Buffer.from(keccak256(key)).toString('hex')
}

/** The node of entries that share the first `depth` nibbles. */
function nodeOf(entries: readonly Entry[], depth: number): Rlp {
  const [first] = entries
  if (first === undefined) return new Uint8Array()
  if (entries.length === 1) return [packed(first.path.slice(depth), true), first.value]
  const shared = sharedBy(entries, depth)
  if (shared > depth) return [packed(first.path.slice(depth, shared), false), reference(nodeOf(entries, shared))]
  return [...digits.map((digit) => reference(nodeOf(childrenOf(entries, depth, digit), depth + 1))), new Uint8Array()]
}

const digits = [...'0123456789abcdef']

function childrenOf(entries: readonly Entry[], depth: number, digit: string): readonly Entry[] {
  return entries.filter(({ path }) => path[depth] === digit)
}

/** The length of the common prefix in nibbles. The first and the last entry in sorted order determine it. */
function sharedBy(entries: readonly Entry[], depth: number): number {
  const [first, last] = [entries[0]!.path, entries.at(-1)!.path]
  let shared = depth
  while (shared < first.length && first[shared] === last[shared]) shared += 1
  return shared
}

function proofOf(entries: readonly Entry[], depth: number, path: string): Uint8Array[] {
  const node = encodeRlp(nodeOf(entries, depth))
  // A node that its parent contains is not a separate node, except for the root.
  const own = depth === 0 || node.length >= hashBytes ? [node] : []
  if (entries.length === 1) return own
  const shared = sharedBy(entries, depth)
  const isExtension = shared > depth
  if (isExtension && entries[0]!.path.slice(0, shared) !== path.slice(0, shared)) return own
  const below = isExtension ? entries : childrenOf(entries, depth, path[depth]!)
  if (below.length === 0) return own
  return [...own, ...proofOf(below, isExtension ? shared : depth + 1, path)]
}

/** How a parent refers to a node: by its hash, or by its bytes if they are shorter than a hash. */
function reference(node: Rlp): Rlp {
  if (node instanceof Uint8Array) return node
  const encoded = encodeRlp(node)
  return encoded.length < hashBytes ? { encoded } : keccak256(encoded)
}

/** Packs nibbles into bytes. A nibble in front says whether their number is odd and whether they end at a value. */
function packed(nibbles: string, isLeaf: boolean): Uint8Array {
  const flag = (isLeaf ? 2 : 0) + (nibbles.length % 2)
  return Buffer.from(`${flag.toString(16)}${nibbles.length % 2 === 0 ? '0' : ''}${nibbles}`, 'hex')
}
