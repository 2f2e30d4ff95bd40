import type { EvmCall } from '../../../schemas/evm-calls.ts'
import type { EvmCell } from '../../model.ts'
import { LogDataError } from '../events/log-data.ts'
import { type CellContext, keccakText, readCellOf } from '../evm/cell-rows.ts'
import { bytes } from '../evm/fields.ts'
import { type AbiFunction, functionText } from './abi-function.ts'
import { callEnd, revertData } from './call-refusals.ts'
import { valuesReader } from './values-json.ts'

/** A call of a contract. */
type ContractCall = {
  /** In lower case. */
  readonly contract: string
  readonly input: Uint8Array
  /** The called function; null if only the input is known. */
  readonly called: AbiFunction | null
}

type Outcome = Pick<EvmCall, 'status' | 'output' | 'outputs' | 'error' | 'revert_data'>
const nothing = { output: null, outputs: null, error: null, revert_data: null }

/** Compiles the function that reads the row of a call from the answer to eth_call, and of eth_getCode where the output is empty. */
export function callReader({
  contract,
  input,
  called,
}: ContractCall): (cell: EvmCell, context: CellContext) => EvmCall {
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

function refused(refusal: Parameters<typeof callEnd>[0]): Outcome {
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
): Pick<EvmCall, 'outputs' | 'error'> {
  if (read === null) return { outputs: null, error: null }
  try {
    return { outputs: read(output), error: null }
  } catch (error) {
    if (!(error instanceof LogDataError)) throw error
    return { outputs: null, error: error.reason }
  }
}
