import type { evmCalls, evmTokens } from '../../../schemas/evm-contracts.ts'
import type { RowOf } from '../../define/index.ts'
import type { EvmCell, EvmOutcome, EvmRefusal } from '../../model.ts'
import { bytes } from '../evm/hex-fields.ts'
import { type CellContext, keccakText, readCellOf } from '../evm/state.ts'
import type { Reading } from '../json/fields.ts'
import { jsonText } from '../json/kinds.ts'
import { decimalOrNull, textOrNull, unsignedAt } from '../values.ts'
import { type AbiField, type AbiFunction, functionText, headSize } from './abi.ts'
import { type LogData, LogDataError, logData, takeBytes, valueReader } from './events.ts'

type ContractCall = {
  /** In lower case. */
  readonly contract: string
  readonly input: Uint8Array
  /** The called function; null if only the input is known. */
  readonly called: AbiFunction | null
}

type Outcome = Pick<RowOf<typeof evmCalls>, 'status' | 'output' | 'outputs' | 'error' | 'revert_data'>
const nothing = { output: null, outputs: null, error: null, revert_data: null }

/** Compiles the function that reads the row of a call from the answer to eth_call, and of eth_getCode where the output is empty. */
export function callReader({
  contract,
  input,
  called,
}: ContractCall): (cell: EvmCell, context: CellContext) => RowOf<typeof evmCalls> {
  const readOutputs = called === null || called.outputs.length === 0 ? null : valuesReader(called.outputs)
  const subject = {
    contract,
    input_hash: keccakText(input),
    function: called === null ? null : functionText(called),
    input,
    arguments: called === null ? null : valuesReader(called.inputs)(input.subarray(4)),
  }
  return (cell, context) =>
    readCellOf(cell, context, (at, place) => {
      const [first] = cell.outcomes
      if (first !== undefined && 'refusal' in first) return { ...place, ...subject, ...refused(first.refusal) }
      const output = bytes(at, 'result')
      const isEmpty = output.length === 0 && bytes(at, 'result1').length === 0
      return { ...place, ...subject, ...(isEmpty ? { ...nothing, status: 'no_code' } : returned(output, readOutputs)) }
    })
}

function refused(refusal: EvmRefusal): Outcome {
  const error = refusal.message
  return { ...nothing, status: callEnd(refusal) ?? 'failed', error, revert_data: revertData(refusal) }
}

function returned(output: Uint8Array, read: ((bytes: Uint8Array) => string) | null): Outcome {
  return { ...nothing, status: 'ok', output, ...outputsOf(output, read) }
}

/** The decoded output of a call, or why it is not of the declared types. */
export function outputsOf(
  output: Uint8Array,
  read: ((bytes: Uint8Array) => string) | null,
): Pick<RowOf<typeof evmCalls>, 'outputs' | 'error'> {
  if (read === null) return { outputs: null, error: null }
  try {
    return { outputs: read(output), error: null }
  } catch (error) {
    if (!(error instanceof LogDataError)) throw error
    return { outputs: null, error: error.reason }
  }
}

/**
 * The end of a call that the node executed; null where the node did not execute it, because it has no state, a limit stopped it or the request
 * is wrong. Code 3 says that a call reverted, but nodes leave it out where a call reverts without data, and other clients have other codes and
 * words. Only a call that was executed has bytes as data.
 */
export function callEnd({ code, message, data }: EvmRefusal): 'reverted' | 'failed' | null {
  const words = typeof data === 'string' ? data : ''
  // Lotus writes a reason for reverting, or that there is none, whatever ended the call.
  const exit = /^message execution failed\W+exit\W+(\w+)/.exec(message)?.[1]
  if (exit !== undefined) return exit === exitOfRevert ? 'reverted' : 'failed'
  if (code === reverted || /revert/i.test(message) || /revert/i.test(words)) return 'reverted'
  if (exceptions.test(message) || exceptions.test(words)) return 'failed'
  if (/^VM execution error/i.test(message)) return 'reverted'
  return (bytesIn(data)?.length ?? 0) > 0 && !protocolErrors.has(code) ? 'reverted' : null
}

const reverted = 3
/** The exit code of a contract of Filecoin that reverted. */
const exitOfRevert = '33'

/** Errors of JSON-RPC itself: parse error, invalid request, method not found, invalid parameters. */
const protocolErrors: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602])

/** The exceptions of the EVM as go-ethereum, revm, Besu, Nethermind, OpenEthereum, Frontier, TRON and Lotus name them, with or without words before. */
const exceptions =
  /\b(out[ _]?of[ _]?(gas|stack|fund)\b|(invalid|illegal|undefined|unknown)[ _]?(\w\w)?(opcode|instruction|operation)\b|opcode[ _]?not[ _]?found|designated[ _]?invalid|bad[ _]?(instruction|jump)|invalid[ _]?jump|stack[ _]?(underflow|overflow|limit reached)|(write|static state) protection|mutable call in static|state change during static|illegal[ _]state[ _]change|return data out of bounds|(gas|nonce) uint64 overflow|max (code|initcode) size exceeded|max call depth exceeded|call[ _]?too[ _]?deep|contract creation code storage out of gas|(contract address|create) ?collision|insufficient balance for transfer|insufficient[ _]gas|invalid[ _]?code\b|not enough energy|message execution failed|SysErrOutOfGas)/i

/** The bytes with which a call reverted; null if the node returned none. */
export function revertData({ data }: EvmRefusal): Uint8Array | null {
  return bytesIn(data)
}

/** The bytes at the end of a text, with words before them or without `0x`, or in an object that a development node wraps them in. */
function bytesIn(data: unknown, depth = 0): Uint8Array | null {
  if (typeof data === 'string') {
    const hex = /(?:0x|^(?=.{8}))((?:[0-9a-f]{2})*)$/i.exec(data)?.[1]
    return hex === undefined ? null : Buffer.from(hex, 'hex')
  }
  if (typeof data !== 'object' || data === null || depth > 2) return null
  const { data: bytes, return: returned, result } = data as Readonly<Record<string, unknown>>
  for (const each of [bytes, returned, result, ...Object.values(data).filter((value) => typeof value === 'object')]) {
    const found = bytesIn(each, depth + 1)
    if (found !== null) return found
  }
  return null
}

/** Selectors of name(), symbol(), decimals() and totalSupply(), in the order of the calls. */
export const tokenInputs = ['0x06fdde03', '0x95d89b41', '0x313ce567', '0x18160ddd'] as const

/** Returns the row of a token from its four answers. Throws `DecodeError`. */
export function tokenRow(cell: EvmCell, context: CellContext, tokenAddress: string): RowOf<typeof evmTokens> {
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

function answerOf(outcome: EvmOutcome, at: Reading, position: number): Answer {
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
  const number = output === null ? null : attempt(output, (data) => unsignedAt(data.view, 0))
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

/** Creates the function that reads encoded values as a JSON list. Integers are text, and so are bytes. It throws `LogDataError`. */
export function valuesReader(fields: readonly AbiField[]): (bytes: Uint8Array) => string {
  const reads = fields.map(({ type }) => valueReader(type))
  let size = 0
  const places = fields.map(({ type }) => {
    const at = size
    size += headSize(type)
    return at
  })
  return (bytes) => {
    const data = logData(bytes)
    takeBytes(data, 0, size)
    return jsonText(reads.map((read, at) => jsonOf(read(data, places[at]!, 0))))
  }
}

function jsonOf(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOf(member)]))
}
