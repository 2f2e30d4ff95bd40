import type { EvmTx, HashedCBlock } from '../../../codec/c.ts'
import { inputOf } from '../../c/abi.ts'
import { type InnerCall, innerCallsOf } from '../../service/evm/inner-calls.ts'
import type { EvmTransaction } from '../../service/evm/state.ts'
import { codeOfCreated, receiverOf } from '../../service/evm/state-changes.ts'
import { data, quantity } from './hex.ts'

/** A call as the call tracer writes it, with the calls within it. */
type FrameJson = Readonly<Record<string, unknown>>

export type TraceJson = { readonly txHash: string; readonly result: FrameJson }

/** The calls of the transactions of a block, as debug_traceBlockByNumber returns them with the call tracer. */
export function tracesJson({ block }: HashedCBlock, transactions: readonly EvmTransaction[]): TraceJson[] {
  return transactions.map((transaction, at) => ({
    txHash: transaction.hash,
    result: rootJson(block.transactions[at]!, transaction),
  }))
}

function rootJson(tx: EvmTx, transaction: EvmTransaction): FrameJson {
  const { from, to, gasLimit, value, result } = transaction
  const calls = innerCallsOf(transaction).map(callJson)
  return {
    from,
    gas: quantity(gasLimit),
    gasUsed: quantity(result.gasUsed),
    to: receiverOf(transaction),
    input: data(tx.input),
    ...(to === null ? { output: data(codeOfCreated(transaction)) } : {}),
    ...(result.succeeded ? {} : failure('the token contract refuses the call')),
    ...(calls.length === 0 ? {} : { calls }),
    value: quantity(value),
    type: to === null ? 'CREATE' : 'CALL',
  }
}

function callJson({ type, from, to, value, gas, gasUsed, input, output, reverted, calls }: InnerCall): FrameJson {
  return {
    from,
    gas: quantity(gas),
    gasUsed: quantity(gasUsed),
    to,
    input: data(input),
    ...(output === null ? {} : { output: data(output) }),
    ...(reverted === null ? {} : failure(reverted)),
    ...(calls.length === 0 ? {} : { calls: calls.map(callJson) }),
    ...(value === null ? {} : { value: quantity(value) }),
    type,
  }
}

/** The selector of `Error(string)`, with which Solidity writes the reason of a revert. */
const errorSelector = '08c379a0'

function failure(reason: string): FrameJson {
  return {
    output: data(inputOf(errorSelector, [{ bytes: new TextEncoder().encode(reason) }])),
    error: 'execution reverted',
    revertReason: reason,
  }
}
