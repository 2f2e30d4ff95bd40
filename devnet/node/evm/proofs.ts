import { keccak256 } from '../../../codec/keccak.ts'
import { tokenNamed } from '../../c/contracts.ts'
import { encodeRlp, type Rlp } from '../../c/rlp.ts'
import { MethodError } from '../../http/json-rpc.ts'
import { hex0x } from '../../lib.ts'
import { balanceSlot, supplySlot } from '../../service/evm/changes.ts'
import { zeroAddress } from '../../service/evm/contracts.ts'
import type { EvmState } from '../../service/evm/state.ts'
import { balancesOf, tokenAt } from '../../service/evm/token-views.ts'
import { addressArgument, blockArgument, type EvmMethods, invalid, quantity, required } from './arguments.ts'
import { acceptedNumber, type EvmReader } from './reader.ts'

/**
 * Proofs of accounts and their storage after a block. The tries are those of the ledger's accounts. The state roots in headers do not match
 * them, because no code is executed and the roots are invented. A node refuses blocks below the window (specification 4.2).
 */
export function proofMethods({ head, state }: EvmReader, window: number): EvmMethods {
  const worldAt = createWorlds()
  return {
    eth_getProof: async (args) => {
      const address = addressArgument(args, 0)
      const keys = keysOf(required(args, 1))
      const last = head()
      const number = acceptedNumber(blockArgument(args, 2, last), last)
      refuseOld(number, last, window)
      const now = await state()
      const { trie, accounts } = worldAt(now, number)
      const storage = storageAt(now, address, number)
      const account = accounts.get(address)
      return {
        address,
        accountProof: trie.prove(Buffer.from(address.slice(2), 'hex')).map(hex0x),
        balance: quantity(account?.balance ?? 0n),
        codeHash: hex0x(account?.codeHash ?? new Uint8Array(32)),
        nonce: quantity(account?.nonce ?? 0n),
        storageHash: hex0x(account === undefined ? new Uint8Array(32) : storage.trie.root),
        storageProof: keys.map(({ given, slot }) => ({
          key: given,
          value: quantity(storage.slots.get(slot) ?? 0n),
          proof: storage.trie.prove(Buffer.from(slot, 'hex')).map(hex0x),
        })),
      }
    },
  }
}

function refuseOld(number: number, last: number, window: number): void {
  const oldest = Math.max(0, last - window)
  if (window === 0 || number >= oldest) return
  throw new MethodError(
    `block number ${number} is before the oldest allowed block number ${oldest} (window of ${window} blocks)`,
  )
}

/** The response repeats slots exactly as the request wrote them. */
function keysOf(value: unknown): StorageKey[] {
  if (!Array.isArray(value)) throw invalid(1, 'json: cannot unmarshal non-array into Go value of type []string')
  return value.map(storageKey)
}

type Account = { readonly nonce: bigint; readonly balance: bigint; readonly codeHash: Uint8Array }

/** Every account after a block, and their trie. */
type World = { readonly accounts: ReadonlyMap<string, Account>; readonly trie: Trie }

/** Returns the accounts after a block. The accounts of the last requested block are cached. */
function createWorlds(): (state: EvmState, blockNumber: number) => World {
  let last: { readonly blockNumber: number; readonly world: World } | null = null
  return (state, blockNumber) => {
    if (last?.blockNumber !== blockNumber) last = { blockNumber, world: worldAt(state, blockNumber) }
    return last.world
  }
}

function worldAt(state: EvmState, blockNumber: number): World {
  const accounts = new Map<string, Account>()
  for (const name of state.addresses()) {
    const nonce = state.nonce(name, blockNumber)
    const balance = state.nativeBalance(name, blockNumber)
    if (nonce === 0n && balance === 0n) continue
    accounts.set(name, { nonce, balance, codeHash: keccak256(state.code(name, blockNumber)) })
  }
  const entries = [...accounts].map(([name, { nonce, balance, codeHash }]): [Uint8Array, Uint8Array] => {
    const { root } = storageAt(state, name, blockNumber).trie
    // The last field says whether an account ever had assets other than the native one.
    return [Buffer.from(name.slice(2), 'hex'), encodeRlp([nonce, balance, root, codeHash, 0])]
  })
  return { accounts, trie: createTrie(entries) }
}

type Storage = {
  /** Values by slot. A slot is 64 hex digits. */
  readonly slots: ReadonlyMap<string, bigint>
  readonly trie: Trie
}

/** The storage of an address after a block. An ERC-20 contract stores its balances and its supply, other addresses store nothing. */
function storageAt(state: EvmState, address: string, blockNumber: number): Storage {
  const slots = new Map<string, bigint>()
  const token = tokenNamed(address)
  if (token?.standard === 'ERC-20') {
    for (const [owner, balance] of balancesOf(tokenAt(state, token, blockNumber))) {
      if (owner === zeroAddress && balance < 0n) slots.set(supplySlot, -balance)
      else if (balance > 0n) slots.set(balanceSlot(owner), balance)
    }
  }
  const entries = [...slots].map(([slot, value]): [Uint8Array, Uint8Array] => {
    return [Buffer.from(slot, 'hex'), encodeRlp(value)]
  })
  return { slots, trie: createTrie(entries) }
}

/** A slot as a request wrote it, and as 64 hex digits. */
type StorageKey = { readonly given: string; readonly slot: string }

/** Slots are numbers of up to 32 bytes. */
export function storageKey(given: unknown): StorageKey {
  if (typeof given !== 'string' || !/^0x[0-9a-f]{0,64}$/i.test(given))
    throw new MethodError(`unable to decode storage key: ${JSON.stringify(given)}`, -32602)
  return { given, slot: given.slice(2).toLowerCase().padStart(64, '0') }
}

/** A Merkle Patricia trie (yellow paper, appendix D) with hashed keys, like the tries of accounts and storage. */
type Trie = {
  readonly root: Uint8Array
  /** The nodes from the root down to a key. If the trie does not contain the key, the nodes that prove this. */
  prove(key: Uint8Array): readonly Uint8Array[]
}

type Entry = { readonly path: string; readonly value: Uint8Array }

/** A parent contains the child nodes that are shorter than a hash (bytes). */
const hashBytes = 32

/** `entries`: keys before hashing, with their values. */
function createTrie(entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Trie {
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
