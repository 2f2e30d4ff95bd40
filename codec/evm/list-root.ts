import { keccak256 } from '../keccak.ts'
import { createWriter, type Writer, written } from '../linear/writer.ts'
import { writeItems, writeList, writeString } from '../rlp/index.ts'

/** The root of the list of transactions or receipts of a block without transactions. */
export const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** An entry of the trie: its key as nibbles, and the place of its value in the list. */
type Entry = { readonly path: readonly number[]; readonly at: number }

/**
 * The root of a Merkle Patricia trie (yellow paper, appendix D) of values by their positions in a list, as headers hold it of the
 * transactions and of the receipts of a block. 0x and lower-case hex. Null if a value is null.
 */
export function listRoot(values: readonly (Uint8Array | null)[]): string | null {
  if (values.length === 0) return emptyRoot
  if (values.includes(null)) return null
  return hexOf(keccak256(nodeOf(entriesOf(values.length), 0, values as readonly Uint8Array[])))
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

/** The entries in the order of their keys. The key of a position is its RLP, in which 0 is 0x80 and comes after 1 to 127. */
function entriesOf(count: number): Entry[] {
  const order = Array.from({ length: count }, (_, at) => at)
  if (count > 1) order.splice(Math.min(count, 128) - 1, 0, ...order.splice(0, 1))
  return order.map((at) => ({ at, path: Array.from(keyOf(at), (byte) => [byte >> 4, byte & 15]).flat() }))
}

function keyOf(position: number): Uint8Array {
  const writer = createWriter(9)
  const hex = position === 0 ? '' : position.toString(16)
  writeString(writer, Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'))
  return written(writer)
}

/** The RLP of the node of entries that share the first `depth` nibbles. */
function nodeOf(entries: readonly Entry[], depth: number, values: readonly Uint8Array[]): Uint8Array {
  const first = entries[0]!
  if (entries.length === 1) {
    const value = values[first.at]!
    return listOf(value.length + 64, (writer) => {
      writeString(writer, packed(first.path.slice(depth), true))
      writeString(writer, value)
    })
  }
  const last = entries.at(-1)!
  let shared = depth
  while (first.path[shared] === last.path[shared]) shared += 1
  if (shared > depth) {
    const below = nodeOf(entries, shared, values)
    return listOf(64, (writer) => {
      writeString(writer, packed(first.path.slice(depth, shared), false))
      refer(writer, below)
    })
  }
  const children = childrenOf(entries, depth)
  return listOf(544, (writer) => {
    for (const child of children)
      if (child === undefined) writeString(writer, nothing)
      else refer(writer, nodeOf(child, depth + 1, values))
    // No key is the beginning of another one, so a branch holds no value.
    writeString(writer, nothing)
  })
}

const nothing = new Uint8Array()

function childrenOf(entries: readonly Entry[], depth: number): (Entry[] | undefined)[] {
  const children = Array.from({ length: 16 }, (): Entry[] | undefined => undefined)
  for (const entry of entries) {
    const nibble = entry.path[depth]!
    const child = children[nibble]
    if (child === undefined) children[nibble] = [entry]
    else child.push(entry)
  }
  return children
}

/** A parent refers to a node by its hash, or contains it if it is shorter than a hash. */
function refer(writer: Writer, node: Uint8Array): void {
  if (node.length < 32) writeItems(writer, node)
  else writeString(writer, keccak256(node))
}

/** Packs nibbles into bytes. A nibble in front says whether their number is odd and whether they end at a value. */
function packed(nibbles: readonly number[], isLeaf: boolean): Uint8Array {
  const isOdd = nibbles.length % 2 === 1
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0)
  const all = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles]
  return Uint8Array.from({ length: all.length / 2 }, (_, at) => all[2 * at]! * 16 + all[2 * at + 1]!)
}

function listOf(capacity: number, write: (writer: Writer) => void): Uint8Array {
  const writer = createWriter(capacity)
  writeList(writer, () => write(writer))
  return written(writer)
}
