import { parseFunction } from '../../decode/calls/abi-function.ts'
import { outputsOf } from '../../decode/calls/call-row.ts'
import { numberColumns, textColumns } from '../../decode/calls/token-row.ts'
import { valuesReader } from '../../decode/calls/values-json.ts'
import { keccakText } from '../../decode/evm/cell-rows.ts'

type Row = Readonly<Record<string, any>>

/** The columns of a call that follow from its function, its input and its output. */
export function provenCall({ function: declared, input, status, output }: Row): Row {
  const hashed = { input_hash: keccakText(input) }
  if (declared === null) return { ...hashed, arguments: null, outputs: null }
  const { inputs, outputs } = parseFunction(declared, 'function')
  const read = outputs.length === 0 ? null : valuesReader(outputs)
  return {
    ...hashed,
    arguments: valuesReader(inputs)(input.subarray(4)),
    ...(status === 'ok' && output !== null ? outputsOf(output, read) : { outputs: null }),
  }
}

/** The columns of a token that follow from the outputs of its contract. */
export function provenToken(row: Row): Row {
  return {
    ...textColumns('name', row['name_raw_output']),
    ...textColumns('symbol', row['symbol_raw_output']),
    ...numberColumns('decimals', row['decimals_raw_output']),
    ...numberColumns('total_supply', row['total_supply_raw_output']),
  }
}
