import { keccak256 } from '../keccak.ts'
import { decodeOrNull, decodeWithSpans, spanned, type ValueOf } from '../linear/index.ts'
import { itemOfList, rlpBytes, rlpList, rlpStruct, rlpU64 } from '../rlp/index.ts'
import { evmTx } from './evm-transactions.ts'
import { cHeader } from './header.ts'

/** A C-Chain block inside a container (wire-format.md 1.8). Header and transactions are `spanned`, in this order. */
export const cBlock = rlpStruct('Block', {
  header: spanned(cHeader),
  transactions: rlpList(evmTx),
  /** Always empty: Avalanche consensus has no uncles. */
  uncles: rlpList(cHeader),
  version: rlpU64,
  extData: rlpBytes,
})
export type CBlockValue = ValueOf<typeof cBlock>

export type HashedCBlock = {
  readonly block: CBlockValue
  /** keccak-256 of the header's bytes. */
  readonly hash: Uint8Array
  /** The bytes that give the hash of each transaction. */
  readonly transactionBytes: readonly Uint8Array[]
  /** keccak-256 of each transaction's bytes. */
  readonly transactionHashes: readonly Uint8Array[]
}

/** Decodes a block and hashes its header and transactions. Throws `DecodeError` with `path` as the path of the block. */
export function decodeCBlock(bytes: Uint8Array, path: string): HashedCBlock {
  const { value, spans } = decodeWithSpans(cBlock, bytes, path)
  const transactionBytes: Uint8Array[] = []
  const transactionHashes: Uint8Array[] = []
  for (let i = 2; i < spans.length; i += 2) {
    const own = bytes.subarray(spans[i], spans[i + 1])
    transactionBytes.push(own)
    transactionHashes.push(keccak256(own))
  }
  const hash = keccak256(bytes.subarray(spans[0], spans[1]))
  return { block: value, hash, transactionBytes, transactionHashes }
}

const numberInHeader = 8

/** Returns the block number, for errors about a block that cannot be decoded as a whole. Null if the number cannot be read either. */
export function cBlockNumber(bytes: Uint8Array): bigint | null {
  const number = itemOfList(itemOfList(bytes, 0) ?? bytes, numberInHeader)
  return number === null ? null : (decodeOrNull(rlpU64, number)?.value ?? null)
}
