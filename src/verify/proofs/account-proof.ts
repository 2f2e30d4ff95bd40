import { keccak256 } from '../../../codec/keccak.ts'
import { DecodeError } from '../../errors.ts'

type Row = Readonly<Record<string, any>>
type Item = Uint8Array | readonly Item[]

/**
 * The values of an account that its Merkle Patricia proofs show. Each node of a proof contains the hash of the next node, and the last node
 * holds the account. The root is in a block header. A proof that an account or slot does not exist shows no values.
 */
export function provenAccount(row: Row): Row {
  const leaf = provenValue(row['account_proof'], hexBytes(row['address']), 'account_proof')
  const account = leaf === null ? null : decode(leaf)
  for (const { slot, slot_value: held, proof } of row['storage_proofs']) {
    const value = provenValue(proof, word(slot), 'storage_proofs')
    const found = value === null ? '0x0' : quantity(decode(value) as Uint8Array)
    if (found !== held)
      throw contradiction('storage_proofs', `The slot ${slot} holds ${held}, but its proof shows ${found}.`)
    if (proof.length > 0 && hash(proof[0]) !== row['storage_hash'])
      throw contradiction('storage_proofs', 'The root of the proof of a slot differs from storage_hash.')
  }
  if (account === null || !Array.isArray(account)) return {}
  const [nonce, balance, storage, code] = account as readonly Uint8Array[]
  return {
    nonce: numberOf(nonce!),
    balance_raw: numberOf(balance!).toString(),
    storage_hash: text(storage!),
    code_hash: text(code!),
  }
}

/** The value at a key, following the nodes from the root; null if the nodes prove that there is none. */
function provenValue(nodes: readonly Uint8Array[], key: Uint8Array, path: string): Uint8Array | null {
  if (nodes.length === 0) return null
  const nibbles = text(keccak256(key)).slice(2)
  let step: Step = { at: 0, next: null }
  for (const [position, bytes] of nodes.entries()) {
    if (position > 0 && !isHashOf(step.next, bytes))
      throw contradiction(path, `Node ${position} of ${path} does not have the hash that the node before it states.`)
    const reached = follow(decode(bytes), nibbles, step.at)
    if (reached === null || 'value' in reached) return reached?.value ?? null
    step = reached
  }
  throw contradiction(path, `The nodes of ${path} end before the key does.`)
}

/** The position in the key after a node, and the reference to the next node. */
type Step = { readonly at: number; readonly next: Uint8Array | null }

/** Follows a key through a node, and through the nodes shorter than a hash that it contains. Null: there is no value at the key. */
function follow(node: Item, nibbles: string, at: number): Step | { readonly value: Uint8Array } | null {
  if (node instanceof Uint8Array) return node.length === 0 ? null : { at, next: node }
  if (node.length === 17) return follow(node[Number.parseInt(nibbles[at]!, 16)] as Item, nibbles, at + 1)
  const [compact, rest] = node as readonly [Uint8Array, Item]
  const { part, isLeaf } = partOf(compact)
  if (!nibbles.startsWith(part, at)) return null
  return isLeaf ? { value: rest as Uint8Array } : follow(rest, nibbles, at + part.length)
}

function isHashOf(reference: Uint8Array | null, bytes: Uint8Array): boolean {
  return reference !== null && reference.length === 32 && text(reference) === hash(bytes)
}

/** Decodes the path of a node: the first nibble says whether the node is a leaf, and whether the number of nibbles is odd. */
function partOf(compact: Uint8Array): { part: string; isLeaf: boolean } {
  const hex = text(compact).slice(2)
  const flag = Number.parseInt(hex[0] ?? '0', 16)
  return { part: hex.slice(flag % 2 === 1 ? 1 : 2), isLeaf: flag >= 2 }
}

function decode(bytes: Uint8Array): Item {
  const { item, end } = itemAt(bytes, 0)
  if (end !== bytes.length) throw contradiction('account_proof', 'A node of a proof has more bytes than its item.')
  return item
}

function itemAt(bytes: Uint8Array, at: number): { item: Item; end: number } {
  const first = bytes[at]
  if (first === undefined) throw contradiction('account_proof', 'A node of a proof ends too early.')
  if (first < 0x80) return { item: bytes.subarray(at, at + 1), end: at + 1 }
  const isList = first >= 0xc0
  const short = first - (isList ? 0xc0 : 0x80)
  const sizeBytes = short > 55 ? short - 55 : 0
  const size = sizeBytes === 0 ? short : Number(numberOf(bytes.subarray(at + 1, at + 1 + sizeBytes)))
  const start = at + 1 + sizeBytes
  const end = start + size
  if (end > bytes.length) throw contradiction('account_proof', 'A node of a proof ends too early.')
  if (!isList) return { item: bytes.subarray(start, end), end }
  const items: Item[] = []
  for (let next = start; next < end; ) {
    const inner = itemAt(bytes, next)
    items.push(inner.item)
    next = inner.end
  }
  return { item: items, end }
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(text(bytes))
}

function quantity(bytes: Uint8Array): string {
  return `0x${numberOf(bytes).toString(16)}`
}

function word(hex: string): Uint8Array {
  return hexBytes(`0x${hex.slice(2).padStart(64, '0')}`)
}

function hexBytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}

function text(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function hash(bytes: Uint8Array): string {
  return text(keccak256(bytes))
}

function contradiction(path: string, message: string): DecodeError {
  return new DecodeError(message, { code: 'decode.field', details: { path } })
}
