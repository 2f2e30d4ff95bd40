import type { StateSubject } from '../../../pipelines/shared/state-pipeline.ts'
import {
  balanceSubject,
  callSubject,
  codeSubject,
  nonceSubject,
  storageSubject,
  tokenSubject,
} from '../../../pipelines/shared/state-subjects.ts'
import { evmBalances } from '../../../schemas/evm-balances.ts'
import { evmCalls } from '../../../schemas/evm-calls.ts'
import { evmCodes } from '../../../schemas/evm-codes.ts'
import { evmNonces } from '../../../schemas/evm-nonces.ts'
import { evmStorage } from '../../../schemas/evm-storage.ts'
import { evmTokens } from '../../../schemas/evm-tokens.ts'
import { type AbiFunction, parseFunction } from '../../decode/calls/abi-function.ts'
import { callReader } from '../../decode/calls/call-row.ts'
import type { Table } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'

type Row = Readonly<Record<string, any>>

/** A table of the state of EVM chains at blocks, and how to read one of its rows again. */
export type StateOfTable = {
  readonly table: Table
  readonly subjectOf: (row: Row) => StateSubject
  /** Columns with the words of a node, which other software says differently. */
  readonly words: readonly string[]
}

export const statesOfTables: readonly StateOfTable[] = [
  { table: evmBalances, subjectOf: ({ address }) => balanceSubject(address), words: [] },
  { table: evmNonces, subjectOf: ({ address }) => nonceSubject(address), words: [] },
  { table: evmCodes, subjectOf: ({ address }) => codeSubject(address), words: [] },
  { table: evmStorage, subjectOf: ({ address, slot }) => storageSubject({ address, slot }), words: [] },
  { table: evmCalls, subjectOf: subjectOfCall, words: ['error'] },
  {
    table: evmTokens,
    subjectOf: ({ token_address: token }) => tokenSubject(token),
    words: Object.keys(evmTokens.columns).filter((name) => name.endsWith('_error')),
  },
]

function subjectOfCall({ contract, input_hash, input, function: declared }: Row): StateSubject {
  return {
    key: { contract, input_hash },
    ...callSubject(contract, input),
    read: callReader({ contract, input, called: declared === null ? null : functionOf(declared) }),
  }
}

/** A text that is no function differs from the row of the node, which has none. */
function functionOf(declared: string): AbiFunction | null {
  try {
    return parseFunction(declared, 'function')
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}
