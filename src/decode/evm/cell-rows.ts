import { keccak256 } from '../../../codec/keccak.ts'
import type { EvmBalance } from '../../../schemas/evm-balances.ts'
import type { EvmCode } from '../../../schemas/evm-codes.ts'
import type { EvmNonce } from '../../../schemas/evm-nonces.ts'
import type { EvmStorage } from '../../../schemas/evm-storage.ts'
import type { EvmCell } from '../../model.ts'
import { decimalOrNull } from '../numbers.ts'
import { blockPlace } from './block-row.ts'
import { bytes, createKind, type Fields, hash, quantityText, topFields, u64, u256 } from './fields.ts'
import type { EvmPlace } from './place.ts'
import { readingBlock } from './reading-block.ts'

/** The chain of a cell. */
export type CellContext = { readonly network: string; readonly chainId: string }

/** The first columns of a row of the state at a block. */
type CellPlace = EvmPlace & { readonly block_hash: string }

/** The decoders read the same fields in every answer. */
const kind = createKind('')

/** Reads a cell: the place of its rows, and the results of its calls as the fields `result`, `result1` and so on. Throws `DecodeError`. */
export function readCellOf<R>(cell: EvmCell, context: CellContext, read: (at: Fields, place: CellPlace) => R): R {
  return readingBlock(cell.number, context, () => {
    const { hash: blockHash, number, timestamp, timestampMilliseconds } = cell.block
    const header = { hash: blockHash, number, timestamp, timestampMilliseconds }
    const results = cell.outcomes.map((outcome, at) => [at === 0 ? 'result' : `result${at}`, resultOf(outcome)])
    const fields = topFields({ ...header, ...Object.fromEntries(results) }, kind)
    return read(fields, { ...blockPlace(fields, context), block_hash: hash(fields, 'hash') })
  })
}

function resultOf(outcome: EvmCell['outcomes'][number]): unknown {
  return 'result' in outcome ? outcome.result : undefined
}

/** Returns the row of an answer to eth_getBalance. Throws `DecodeError`. */
export function balanceRow(cell: EvmCell, context: CellContext, address: string): EvmBalance {
  return readCellOf(cell, context, (at, place) => {
    const balance = u256(at, 'result')
    return { ...place, address, balance: decimalOrNull(balance), balance_raw: balance.toString() }
  })
}

/** Returns the row of an answer to eth_getTransactionCount. Throws `DecodeError`. */
export function nonceRow(cell: EvmCell, context: CellContext, address: string): EvmNonce {
  return readCellOf(cell, context, (at, place) => ({ ...place, address, nonce: u64(at, 'result') }))
}

/** Returns the row of an answer to eth_getCode. Throws `DecodeError`. */
export function codeRow(cell: EvmCell, context: CellContext, address: string): EvmCode {
  return readCellOf(cell, context, (at, place) => {
    const code = bytes(at, 'result')
    return { ...place, address, code, code_hash: keccakText(code) }
  })
}

/** Returns the row of an answer to eth_getStorageAt. Throws `DecodeError`. */
export function storageRow(
  cell: EvmCell,
  context: CellContext,
  { address, slot }: { readonly address: string; readonly slot: string },
): EvmStorage {
  return readCellOf(cell, context, (at, place) => ({
    ...place,
    address,
    slot,
    slot_value: slotText(quantityText(at, 'result')),
  }))
}

/** A number of up to 32 bytes as `0x` and 64 digits. */
export function slotText(quantity: string): string {
  return `0x${quantity.slice(2).toLowerCase().padStart(64, '0')}`
}

/** The hash of bytes as hex text. */
export function keccakText(bytes: Uint8Array): string {
  return `0x${Buffer.from(keccak256(bytes)).toString('hex')}`
}
