import { cHeader } from '../c/header.ts'
import { keccak256 } from '../keccak.ts'
import { createWriter, type Writer, written } from '../linear/writer.ts'
import { rlpU256, writeList, writeString } from '../rlp/index.ts'

/**
 * The bytes of headers, transactions and receipts that the hash of a block, the hashes of transactions and the roots in a header derive
 * from. Their fields have the names of the RPC. A value is what the RPC or the lake has: hex text, bytes, or a number; null or undefined
 * where the chain does not have it.
 */
export type Named = Readonly<Record<string, unknown>>

type Item = Uint8Array | bigint | readonly Item[]

/** Fields that are integers, which RLP writes without leading zeros. All others are bytes. */
const integers = new Set([
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'baseFeePerGas', 'extDataGasUsed', 'blockGasCost'],
  ...['blobGasUsed', 'excessBlobGas', 'timestampMilliseconds', 'minDelayExcess', 'targetExponent', 'minPriceExponent'],
  ...['settledHeight', 'settledGasUnix', 'settledGasNumerator', 'settledExcess', 'slotNumber'],
])

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

export type HeaderShape = keyof typeof shapes
const shapeNames = Object.keys(shapes) as HeaderShape[]

const appended = [...new Set(Object.values(shapes).flat())]

/** All fields that are part of a header of any known shape. */
export const headerNames: readonly string[] = [...required, ...appended]

/** The known shape of header that gives the hash of a block. Null if none does. */
export function headerShape(block: Named): HeaderShape | null {
  return shapeNames.find((shape) => headerHash(block, shape) === block['hash']) ?? null
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
  const items: Item[] = []
  for (const name of required) {
    const item = headerItem(name, block[name])
    if (item === null) return null
    items.push(item)
  }
  // A field between others that the chain does not have is empty.
  for (const name of names.slice(0, last + 1)) items.push(headerItem(name, block[name]) ?? nothing)
  return hexOf(keccak256(encoded(items)))
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
  const items: Item[] = []
  for (const name of names) {
    const item = transactionItem(name, transaction[name])
    if (item === null) return null
    items.push(item)
  }
  const { v, yParity, r, s } = transaction
  for (const value of [type === 0 ? v : (yParity ?? v), r, s]) {
    const item = integer(value)
    if (item === null) return null
    items.push(item)
  }
  return typed(type!, encoded(items))
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
  const items = value.map((each) => {
    if (each === null || each === undefined) return null
    const found = item(each)
    return Array.isArray(found) && found.includes(null) ? null : (found as Item | null)
  })
  return items.includes(null) ? null : (items as Item[])
}

/** A log of a receipt. */
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
