import type { EvmToken } from '../../../schemas/evm-tokens.ts'
import type { EvmCell, EvmOutcome } from '../../model.ts'
import { type LogData, LogDataError, logData, takeBytes, unsignedAt } from '../events/log-data.ts'
import { valueReader } from '../events/value-reader.ts'
import { type CellContext, readCellOf } from '../evm/cell-rows.ts'
import { bytes, type Fields } from '../evm/fields.ts'
import { decimalOrNull, textOrNull } from '../numbers.ts'

/** Selectors of name(), symbol(), decimals() and totalSupply(), in the order of the calls. */
export const tokenInputs = ['0x06fdde03', '0x95d89b41', '0x313ce567', '0x18160ddd'] as const

/** Returns the row of a token from its four answers. Throws `DecodeError`. */
export function tokenRow(cell: EvmCell, context: CellContext, tokenAddress: string): EvmToken {
  return readCellOf(cell, context, (at, place) => {
    const [name, symbol, decimals, supply] = cell.outcomes.map((outcome, position) => answerOf(outcome, at, position))
    return {
      ...place,
      token_address: tokenAddress,
      ...textColumns('name', name!.output),
      name_raw_output: name!.output,
      name_error: name!.error,
      ...textColumns('symbol', symbol!.output),
      symbol_raw_output: symbol!.output,
      symbol_error: symbol!.error,
      ...numberColumns('decimals', decimals!.output),
      decimals_raw_output: decimals!.output,
      decimals_error: decimals!.error,
      ...numberColumns('total_supply', supply!.output),
      total_supply_raw_output: supply!.output,
      total_supply_error: supply!.error,
    }
  })
}

type Answer = { readonly output: Uint8Array | null; readonly error: string | null }

function answerOf(outcome: EvmOutcome, at: Fields, position: number): Answer {
  if ('refusal' in outcome) return { output: null, error: outcome.refusal.message }
  return { output: bytes(at, position === 0 ? 'result' : `result${position}`), error: null }
}

const readString = valueReader({ kind: 'string' })

type TextColumns<N extends string> = { [K in N | `${N}_form`]: string | null }

/** The columns of a text, and of the form of the output. Early contracts declare their name and symbol as bytes32. */
export function textColumns<const N extends string>(name: N, output: Uint8Array | null): TextColumns<N> {
  const { value, form } = textOf(output)
  return { [name]: value, [`${name}_form`]: form } as TextColumns<N>
}

type Read<T> = { readonly value: T | null; readonly form: string | null }

function textOf(output: Uint8Array | null): Read<string> {
  if (output === null) return { value: null, form: null }
  const text = attempt(output, (data) => readString(data, 0, 0) as string)
  if (text !== null) return { value: text, form: 'string' }
  const word = output.length === 32 ? wordText(output) : null
  return { value: word, form: word === null ? 'invalid' : 'bytes32' }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text before the zeros of a word; null if the bytes are no text. */
function wordText(word: Uint8Array): string | null {
  const end = word.findLastIndex((byte) => byte !== 0) + 1
  const used = word.subarray(0, end)
  if (used.includes(0)) return null
  try {
    return utf8.decode(used)
  } catch {
    return null
  }
}

type NumberColumns<N extends string> = { [K in N]: bigint | null } & { [K in `${N}_raw` | `${N}_form`]: string | null }

/** The columns of a number, and of the form of the output. */
export function numberColumns<const N extends string>(name: N, output: Uint8Array | null): NumberColumns<N> {
  const number = output === null ? null : attempt(output, (data) => unsignedAt(data, 0))
  return {
    [name]: decimalOrNull(number),
    [`${name}_raw`]: textOrNull(number),
    [`${name}_form`]: output === null ? null : number === null ? 'invalid' : 'uint256',
  } as unknown as NumberColumns<N>
}

/** What `read` makes of an output of at least one word; null if the output is shorter, or not of the type. */
function attempt<T>(output: Uint8Array, read: (data: LogData) => T): T | null {
  try {
    const data = logData(output)
    takeBytes(data, 0, 32)
    return read(data)
  } catch (error) {
    if (error instanceof LogDataError) return null
    throw error
  }
}
