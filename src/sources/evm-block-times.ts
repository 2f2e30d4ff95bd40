import type { RangeSource, RecordTime } from '../define/index.ts'
import { DecodeError, RpcError } from '../errors.ts'
import type { RpcOutcome } from '../fetch/json-rpc.ts'
import { blockCall, blockOf, blockTimeOf, hex, isBehind } from './evm-answers.ts'
import type { EvmCalls } from './evm-calls.ts'

/** Reads the times of blocks of an EVM chain, from their headers (eth_getBlockByNumber). */
export function evmBlockTimes(calls: EvmCalls): NonNullable<RangeSource<unknown>['times']> {
  return async (from, to, signal) => {
    const numbers = Array.from({ length: to - from }, (_, at) => from + at)
    const { outcomes } = await calls.ask(
      numbers.map((number) => blockCall(hex(number), false)),
      { signal },
    )
    return numbers.map((number, at) => timeIn(number, outcomes[at]!))
  }
}

function timeIn(number: number, outcome: RpcOutcome): RecordTime {
  try {
    const time = blockTimeOf(blockOf(number, outcome))
    if (time !== null) return time
  } catch (error) {
    if (isBehind(error) || isPruned(error)) return 'missing'
    throw error
  }
  throw new DecodeError(`Block ${number} of the node has no timestamp.`, {
    code: 'decode.field',
    details: { method: 'eth_getBlockByNumber', 'block number': number },
    hint: 'Check that the URL is the JSON-RPC of an EVM chain.',
  })
}

/** The answers of nodes that no longer have old blocks. */
function isPruned(error: unknown): boolean {
  return error instanceof RpcError && /pruned|history (is )?(not |un)available/i.test(error.message)
}
