import { keccak256 } from '../keccak.ts'
import { createWriter, type Writer, written } from '../linear.ts'
import { rlpU64, rlpU256, writeItems, writeList, writeString } from '../rlp.ts'
import { cHeader } from './header.ts'

/**
 * The bytes of headers, transactions and receipts that the hash of a block, the hashes of transactions and the roots in a header derive
 * from. Their fields have the names of the RPC. A value is what the RPC or the lake has: hex text, bytes, or a number; null or undefined
 * where the chain does not have it.
 */
export type Named = Readonly<Record<string, unknown>>

type Item = Uint8Array | bigint | readonly Item[]

/** Fields that are integers, which RLP writes without leading zeros. All others are bytes. */
const integers = new Set(
  Object.entries({ ...cHeader.fields, ...cHeader.optional }).flatMap(([name, schema]) =>
    'bits' in schema ? [name] : [],
  ),
).add('slotNumber')

const required = Object.keys(cHeader.fields).filter((name) => name !== 'extDataHash')
const ofCancun = ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot']
const sinceGranite = Object.keys(cHeader.optional).slice(Object.keys(cHeader.optional).indexOf('timestampMilliseconds'))

/** The orders of fields that are known, after those that all headers have. Forks have appended fields. */
const shapes = {
  'go-ethereum': [
    ...['baseFeePerGas', 'withdrawalsRoot', ...ofCancun, 'requestsHash', 'blockAccessListHash', 'slotNumber'],
  ],
  coreth: ['extDataHash', ...Object.keys(cHeader.optional)],
  'subnet-evm': ['baseFeePerGas', 'blockGasCost', ...ofCancun, ...sinceGranite],
} as const

type HeaderShape = keyof typeof shapes
const shapeNames = Object.keys(shapes) as HeaderShape[]

const appended = [...new Set(Object.values(shapes).flat())]

/** All fields that are part of a header of any known shape. */
export const headerNames: readonly string[] = [...required, ...appended]

/**
 * The known shape of header that gives the hash of a block. Null if none does, and for headers without a state root: those of ZKsync OS are
 * hashed like others, but their roots and filters mean something else.
 */
export function headerShape(block: Named): HeaderShape | null {
  if (/^0x0*$/.test(String(block['stateRoot']))) return null
  return shapeNames.find((shape) => headerHash(block, shape) === lower(block['hash'])) ?? null
}

/**
 * The hash of a block in a shape: keccak-256 of the fields of its header in order. Null if a field is missing, or if the block has fields
 * of another shape.
 */
export function headerHash(block: Named, shape: HeaderShape): string | null {
  const names: readonly string[] = shapes[shape]
  const stated = appended.filter((name) => isStated(block[name]))
  if (!stated.every((name) => names.includes(name))) return null
  const last = names.findLastIndex((name) => stated.includes(name))
  const items = complete([
    ...required.map((name) => headerItem(name, block[name])),
    // A field between others that the chain does not have is empty.
    ...names.slice(0, last + 1).map((name) => headerItem(name, block[name]) ?? nothing),
  ])
  return items === null ? null : hexOf(keccak256(encoded(items)))
}

/** The items; null if one is missing. */
function complete(items: readonly (Item | null)[]): readonly Item[] | null {
  return items.includes(null) ? null : (items as readonly Item[])
}

const nothing = new Uint8Array()

function headerItem(name: string, value: unknown): Item | null {
  if (integers.has(name)) return integer(value)
  if (name !== 'nonce' || typeof value === 'string') return bytesOf(value)
  const nonce = integer(value)
  if (nonce === null) return null
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, nonce)
  return bytes
}

/** The fields of transactions by type, before the signature (EIP-155, 2930, 1559, 4844, 7702). */
const transactionFields: readonly (readonly string[])[] = [
  ['nonce', 'gasPrice', 'gas', 'to', 'value', 'input'],
  ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'input', 'accessList'],
  ...[[], ['maxFeePerBlobGas', 'blobVersionedHashes'], ['authorizationList']].map((more) => [
    ...['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'input', 'accessList'],
    ...more,
  ]),
]

/**
 * The bytes of a transaction that its hash and the root of transactions derive from. Null if the encoding of its type is not known, or if
 * a field is missing.
 */
export function transactionBytes(transaction: Named): Uint8Array | null {
  const type = typeOf(transaction)
  const names = type === null ? undefined : transactionFields[type]
  if (names === undefined) return null
  const { v, yParity, r, s } = transaction
  const unsigned = names.map((name) => transactionItem(name, transaction[name]))
  const items = complete([...unsigned, ...[type === 0 ? v : (yParity ?? v), r, s].map(integer)])
  return items === null ? null : typed(type!, encoded(items))
}

/** The number of the type of a transaction or receipt. Nodes from before Berlin state none, because there was only one. */
function typeOf({ type }: Named): number | null {
  if (!isStated(type)) return 0
  const number = integer(type)
  return number !== null && number < 128n ? Number(number) : null
}

function typed(type: number, content: Uint8Array): Uint8Array {
  if (type === 0) return content
  const bytes = new Uint8Array(1 + content.length)
  bytes[0] = type
  bytes.set(content, 1)
  return bytes
}

function transactionItem(name: string, value: unknown): Item | null {
  switch (name) {
    case 'to':
      return isStated(value) ? bytesOf(value) : nothing
    case 'input':
      return bytesOf(value)
    case 'accessList':
      return listOf(value ?? [], (each) => [
        bytesOf(each['address']),
        listOf(each['storageKeys'] ?? each['storage_keys'], bytesOf),
      ])
    case 'blobVersionedHashes':
      return listOf(value, bytesOf)
    case 'authorizationList':
      return listOf(value, (each) => [
        integer(each['chainId'] ?? each['signed_chain_id']),
        bytesOf(each['address']),
        ...[each['nonce'], each['yParity'] ?? each['y_parity'], each['r'], each['s']].map(integer),
      ])
    default:
      return integer(value)
  }
}

/** A list of items; null if one of them, or of their fields, is missing. */
function listOf(value: unknown, item: (each: any) => Item | null | readonly (Item | null)[]): Item | null {
  if (!Array.isArray(value)) return null
  return complete(
    value.map((each) => {
      const found = each === null || each === undefined ? null : item(each)
      return Array.isArray(found) ? complete(found) : (found as Item | null)
    }),
  )
}

export type ReceiptLog = { readonly address: string; readonly topics: readonly string[]; readonly data: Uint8Array }

/**
 * The bytes of a receipt that the root of receipts derives from: the fields `type`, `status` or `root`, `cumulativeGasUsed` and `logsBloom`,
 * and the logs. Null if a field is missing, or for another type than 0 to 4.
 */
export function receiptBytes(receipt: Named, logs: readonly ReceiptLog[]): Uint8Array | null {
  const type = typeOf(receipt)
  if (type === null || transactionFields[type] === undefined) return null
  // Before Byzantium, receipts had the root of the state instead of a status.
  const outcome = isStated(receipt['status']) ? integer(receipt['status']) : bytesOf(receipt['root'])
  const [gas, bloom] = [integer(receipt['cumulativeGasUsed']), bytesOf(receipt['logsBloom'])]
  if (outcome === null || gas === null || bloom === null) return null
  const writer = createWriter(512 + logs.reduce((sum, { data }) => sum + data.length + 200, 0))
  writeList(writer, () => {
    for (const item of [outcome, gas, bloom]) put(writer, item)
    writeList(writer, () => {
      for (const { address, topics, data } of logs) put(writer, [hexBytes(address), topics.map(hexBytes), data])
    })
  })
  return typed(type, written(writer))
}

function isStated(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}

/** Null for what is no integer: hex text, decimal digits, or a number. */
function integer(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  return typeof value === 'string' && /^(0x[0-9a-f]+|[0-9]+)$/i.test(value) ? BigInt(value) : null
}

/** Null for what is neither bytes nor hex text. */
function bytesOf(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value
  return typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value) ? hexBytes(value) : null
}

function hexBytes(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}

function encoded(items: readonly Item[]): Uint8Array {
  const writer = createWriter(1024)
  put(writer, items)
  return written(writer)
}

function put(writer: Writer, item: Item): void {
  if (item instanceof Uint8Array) writeString(writer, item)
  else if (typeof item === 'bigint') rlpU256.write(writer, item)
  else
    writeList(writer, () => {
      for (const each of item) put(writer, each)
    })
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

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

/** The entries in the order of their keys. The key of a position is its RLP, in which 0 is 0x80 and comes after 1 to 127. */
function entriesOf(count: number): Entry[] {
  const order = Array.from({ length: count }, (_, at) => at)
  if (count > 1) order.splice(Math.min(count, 128) - 1, 0, ...order.splice(0, 1))
  return order.map((at) => ({ at, path: Array.from(keyOf(at), (byte) => [byte >> 4, byte & 15]).flat() }))
}

function keyOf(position: number): Uint8Array {
  const writer = createWriter(9)
  rlpU64.write(writer, BigInt(position))
  return written(writer)
}

/** The RLP of the node of entries that share the first `depth` nibbles, in the order of their keys. */
function nodeOf(entries: readonly Entry[], depth: number, values: readonly Uint8Array[]): Uint8Array {
  const first = entries[0]!
  if (entries.length === 1) {
    const value = values[first.at]!
    return listNode(value.length + 64, (writer) => {
      writeString(writer, packed(first.path.slice(depth), true))
      writeString(writer, value)
    })
  }
  const last = entries.at(-1)!
  let shared = depth
  while (first.path[shared] === last.path[shared]) shared += 1
  if (shared > depth) {
    const below = nodeOf(entries, shared, values)
    return listNode(64, (writer) => {
      writeString(writer, packed(first.path.slice(depth, shared), false))
      refer(writer, below)
    })
  }
  return listNode(544, (writer) => {
    let from = 0
    for (let nibble = 0; nibble < 16; nibble++) {
      let to = from
      while (entries[to]?.path[depth] === nibble) to += 1
      if (to === from) writeString(writer, nothing)
      else refer(writer, nodeOf(entries.slice(from, to), depth + 1, values))
      from = to
    }
    // No key is the beginning of another one, so a branch holds no value.
    writeString(writer, nothing)
  })
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

function listNode(capacity: number, write: (writer: Writer) => void): Uint8Array {
  const writer = createWriter(capacity)
  writeList(writer, () => write(writer))
  return written(writer)
}

/** How the transactions and receipts of a block may contradict its header, or a receipt itself. */
export const contradictions = {
  transactions: 'it lists no transactions, but transactionsRoot is not the root of an empty list',
  gas: 'gasUsed is not the sum of the gas of its receipts',
  bloom: 'logsBloom is not the union of the Bloom filters of its receipts',
  lost: 'a receipt has no logs, but a Bloom filter with bits',
  filter: 'a receipt has logs, but a Bloom filter without a bit',
} as const

type Contradiction = keyof typeof contradictions

/** `isCertain`: the header is the one of the block hash, so the transactions or receipts are not those of the block. */
type Contradicted = { readonly isCertain: boolean; readonly kinds: readonly Contradiction[] }

/**
 * How the answers of a node about a block contradict each other; null if they do not. A header in a shape that is not known may mean
 * something else. Since Helicon, only the root of transactions belongs to the block itself.
 */
export function contradictionOf(block: Named, receipts: readonly unknown[]): Contradicted | null {
  const kinds = suspicions(block, receipts as readonly Named[])
  return kinds.length === 0 ? null : judged(block, receipts as readonly Named[], kinds)
}

function judged(block: Named, receipts: readonly Named[], kinds: readonly Contradiction[]): Contradicted | null {
  const shape = headerShape(block)
  if (shape === null) return { isCertain: kinds.includes('lost') && hasLostLogs(block, receipts), kinds }
  const used = new Set(
    receipts.filter(({ gasUsed }) => Number(gasUsed) > 0).map((receipt) => lower(receipt['transactionHash'])),
  )
  const hashed = hashedOf(block)
  const found = ownOf(hashed, ({ hash }) => used.has(hash), { shape, root: block['transactionsRoot'] })
  const own = new Set(found.map(({ hash }) => hash))
  const left = suspicions(
    block,
    receipts.filter((receipt) => own.has(lower(receipt['transactionHash']))),
  )
  const certain = kinds.filter((kind) => left.includes(kind))
  return certain.length === 0 ? null : { isCertain: true, kinds: certain }
}

/**
 * The transactions that the block itself has, of those with hashes that derive from their fields. Some chains list further ones: the hashes of
 * system transactions of Polygon do not derive, and those of HyperEVM, whose headers are those of go-ethereum, use no gas.
 */
export function ownOf<T extends { readonly bytes: Uint8Array }>(
  hashed: readonly T[],
  usedGas: (each: T) => boolean,
  { shape, root }: { readonly shape: HeaderShape | null; readonly root: unknown },
): readonly T[] {
  if (shape !== 'go-ethereum') return hashed
  const used = hashed.filter(usedGas)
  return used.length < hashed.length && listRoot(used.map(({ bytes }) => bytes)) === root ? used : hashed
}

function transactionsOf({ transactions }: Named): readonly Named[] {
  return Array.isArray(transactions) ? transactions : []
}

function lower(text: unknown): string {
  return String(text).toLowerCase()
}

/**
 * The transactions that a block certainly has: the root in its header follows from those with hashes that derive from their fields. None if it
 * does not, and for a header in a shape that is not known.
 */
export function provenTransactions(block: Named): readonly Named[] {
  const own = hashedOf(block)
  const isProven = headerShape(block) !== null && listRoot(own.map(({ bytes }) => bytes)) === block['transactionsRoot']
  return isProven ? own.map(({ transaction }) => transaction) : []
}

/** The transactions of a block with hashes that derive from their fields. */
function hashedOf(block: Named) {
  return transactionsOf(block).flatMap((transaction) => {
    const bytes = transactionBytes(transaction)
    const hash = lower(transaction['hash'])
    return bytes !== null && hexOf(keccak256(bytes)) === hash ? [{ transaction, bytes, hash }] : []
  })
}

const noBits = `0x${'0'.repeat(512)}`
/** Filters as 64 words, which are faster to join than bytes. */
const union = new Uint32Array(64)
const filter = new Uint32Array(64)
const [unionBytes, filterBytes] = [Buffer.from(union.buffer), Buffer.from(filter.buffer)]

/** What looks like a contradiction. It takes about a microsecond per receipt, so it decides nothing. */
function suspicions(block: Named, receipts: readonly Named[]): Contradiction[] {
  const found = new Set<Contradiction>()
  const { transactionsRoot: root, logsBloom } = block
  if (isRoot(root) && transactionsOf(block).length === 0 && root.toLowerCase() !== emptyRoot) found.add('transactions')
  let gas = 0
  let filters = 0
  for (const receipt of receipts) {
    gas += Number(receipt['gasUsed'])
    const bloom = receipt['logsBloom']
    if (!isFilter(bloom)) continue
    filters += 1
    if ((bloom === noBits) === hasLogs(receipt)) found.add(bloom === noBits ? 'filter' : 'lost')
  }
  if (isStated(block['settledHeight'])) return [...found]
  // Since EIP-7778 (with access lists of blocks), a block counts gas without refunds.
  if (!isStated(block['blockAccessListHash']) && gas !== Number(block['gasUsed'])) found.add('gas')
  if (filters === receipts.length && isFilter(logsBloom) && !isUnion(logsBloom, receipts)) found.add('bloom')
  return [...found]
}

function hasLogs({ logs }: Named): boolean {
  return Array.isArray(logs) && logs.length > 0
}

function isRoot(root: unknown): root is string {
  return typeof root === 'string' && root.length === emptyRoot.length
}

function isFilter(bloom: unknown): bloom is string {
  return typeof bloom === 'string' && bloom.length === noBits.length
}

/** Whether a Bloom filter is the union of those of receipts, which all have one. */
function isUnion(bloom: string, receipts: readonly Named[]): boolean {
  const others = receipts.map((receipt) => receipt['logsBloom'] as string).filter((each) => each !== noBits)
  if (others.length < 2) return (others[0] ?? noBits).toLowerCase() === bloom.toLowerCase()
  union.fill(0)
  for (const each of others) {
    filterBytes.write(each.slice(2), 'hex')
    for (let at = 0; at < filter.length; at++) union[at]! |= filter[at]!
  }
  filterBytes.write(bloom.slice(2), 'hex')
  return unionBytes.equals(filterBytes)
}

/**
 * Whether a chain with another header nevertheless shows that logs are missing: a receipt without logs has a Bloom filter of its own. Some
 * chains have filters with all bits, and others repeat the filter of the block in each receipt.
 */
function hasLostLogs({ logsBloom }: Named, receipts: readonly Named[]): boolean {
  const isOfOthers = receipts.some(hasLogs)
  return receipts.some((receipt) => {
    const bloom = receipt['logsBloom']
    if (!isFilter(bloom) || bloom === noBits || hasLogs(receipt)) return false
    return !/^0xf+$/i.test(bloom) && !(isOfOthers && bloom === logsBloom)
  })
}
