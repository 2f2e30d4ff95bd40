import { RpcError, TransportError } from '../../errors.ts'
import { isMissingState } from '../evm-refusals.ts'

/** The refused call: its method and block, and the first block after it that has its state; null if no block is known to have it. */
type RefusedCall = {
  readonly method: string
  readonly number: number
  readonly firstWithState: () => Promise<number | null>
}

/**
 * The error of a refused call, with its block and what helps. It is a `TransportError` and no `RpcError` where the node would refuse the same
 * call about other subjects, too.
 */
export async function cellFailure(error: RpcError, call: RefusedCall): Promise<RpcError | TransportError> {
  const { method, number } = call
  const details = { method, 'block number': number, 'error code': error.rpcCode, 'error message': error.answer }
  if (isMissingState(error))
    return new TransportError(`The node has no state of block ${number}: ${error.answer}`, {
      code: 'evm.no-state',
      retryable: false,
      details,
      hint: `${await beginningOf(call)} A pruning node keeps the state of the newest blocks only. An archive node has all of it (pruning-enabled: false).`,
      cause: error,
    })
  if (error.rpcCode === methodNotFound)
    return new TransportError(`The node does not have the method ${method}.`, {
      code: 'evm.no-method',
      retryable: false,
      details,
      hint: 'Enable the method in the configuration of the chain (eth-apis), or use another node.',
      cause: error,
    })
  return new RpcError(
    `Block ${number}: ${error.message}`,
    { code: error.rpcCode, answer: error.answer, data: error.data },
    { details, hint: hintFor(error), cause: error },
  )
}

async function beginningOf({ number, firstWithState }: RefusedCall): Promise<string> {
  const first = await firstWithState()
  return first === null || first <= number ? '' : `From block ${first} on, this node has the state: begin there.`
}

const methodNotFound = -32601

function hintFor(error: RpcError): string {
  if (/timed? ?out|deadline exceeded|execution aborted/i.test(error.answer))
    return 'The node takes too long for this call: raise its limit (api-max-duration of the C-Chain, --rpc.evmtimeout of geth), or use another node.'
  if (/too (large|big)|size|gas.*(cap|limit|allowance)|(cap|limit|allowance).*gas/i.test(error.answer))
    return 'A limit of the node is too low for this call: raise it, use another node, or request less at once.'
  return 'What was read before is kept. Use another node, or run again later.'
}
