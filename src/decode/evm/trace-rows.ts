import type { EvmTrace } from '../../../schemas/evm-traces.ts'
import { decimalOrNull, textOrNull } from '../numbers.ts'
import {
  address,
  type Fields,
  optionalAddress,
  optionalBytes,
  optionalObjects,
  optionalText,
  optionalU64,
  optionalU256,
  text,
  unknownFields,
} from './fields.ts'
import type { EvmTransactionPlace } from './place.ts'

/** What a call inherits from the calls around it. */
type Around = { readonly path: string; readonly depth: number; readonly reverted: boolean }

/** The call type of a transaction that the chain does not trace, such as one of the chain itself. */
export const untraced = 'UNTRACED'

/** The row of a transaction that has no trace. */
export function untracedRow(place: EvmTransactionPlace): EvmTrace {
  return {
    network: place.network,
    chain_id: place.chain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    transaction_index: place.transaction_index,
    transaction_hash: place.transaction_hash,
    trace_index: 0,
    trace_address: '',
    depth: 0,
    call_type: untraced,
    from_address: null,
    to_address: null,
    value: null,
    value_raw: null,
    gas: null,
    gas_used: null,
    input: null,
    output: null,
    error: null,
    revert_reason: null,
    reverted: false,
    child_count: 0,
  }
}

/**
 * Appends the rows of a call and of the calls within it to `rows`, each call before the calls that it made. `unknown` receives the fields that
 * no column holds.
 */
export function addTraceRows(frame: Fields, place: EvmTransactionPlace, rows: EvmTrace[], unknown: Set<string>): void {
  const first = rows.length
  const add = (at: Fields, { path, depth, reverted: aroundReverted }: Around): void => {
    const calls = optionalObjects(at, 'calls') ?? []
    const value = optionalU256(at, 'value')
    const error = optionalText(at, 'error')
    const reverted = aroundReverted || error !== null
    rows.push({
      network: place.network,
      chain_id: place.chain_id,
      block_number: place.block_number,
      block_time: place.block_time,
      transaction_index: place.transaction_index,
      transaction_hash: place.transaction_hash,
      trace_index: rows.length - first,
      trace_address: path,
      depth,
      call_type: text(at, 'type').toUpperCase(),
      from_address: address(at, 'from'),
      to_address: optionalAddress(at, 'to'),
      value: decimalOrNull(value),
      value_raw: textOrNull(value),
      gas: optionalU64(at, 'gas'),
      gas_used: optionalU64(at, 'gasUsed'),
      input: optionalBytes(at, 'input'),
      output: optionalBytes(at, 'output'),
      error,
      revert_reason: optionalText(at, 'revertReason'),
      reverted,
      child_count: calls.length,
    })
    for (const field of unknownFields(at)) unknown.add(field)
    for (const [position, call] of calls.entries())
      add(call, { path: path === '' ? `${position}` : `${path}.${position}`, depth: depth + 1, reverted })
  }
  add(frame, { path: '', depth: 0, reverted: false })
}
