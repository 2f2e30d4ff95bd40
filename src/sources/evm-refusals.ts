import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { RpcOutcome } from '../fetch/json-rpc.ts'

/** What refusals of EVM nodes mean. */

/** Whether this node lags behind the node that stated the head, and may have the block soon. */
export function isBehind(error: unknown): boolean {
  if (error instanceof RpcError)
    return /cannot query unfinalized|after last accepted|(header|block|receipts?)( #\d+)? (is |was )?not found|unknown block/i.test(
      error.message,
    )
  return error instanceof TransportError && error.code === 'evm.missing-block'
}

/** Whether this node lags behind, or nodes behind the same URL returned different blocks of one number: a retry may succeed. */
export function isLagging(error: unknown): boolean {
  return isBehind(error) || (error instanceof TransportError && error.code === 'evm.other-block')
}

/** Whether an answer contradicts the header of its block: a node that lags behind or is damaged, which another one behind the URL is not. */
export function isContradicting(error: unknown): boolean {
  return error instanceof DecodeError && error.code === 'evm.own-header'
}

/**
 * Whether a call failed because the node does not have the method. Only the code says it: nodes also write "is not available" and "not found"
 * about state that they no longer have.
 */
export function isMissingMethod(outcome: RpcOutcome): boolean {
  return 'error' in outcome && outcome.error.rpcCode === methodNotFound
}

const methodNotFound = -32601

/** Whether a node no longer has the state that an answer needs. */
export function isMissingState(error: unknown): boolean {
  return (
    error instanceof RpcError &&
    /missing trie node|historical state|reexec=|state .*(not available|unavailable|pruned)/i.test(error.answer)
  )
}

/** Whether a node executed a call, which reverted. */
export function isReverted({ rpcCode, answer }: RpcError): boolean {
  return rpcCode === 3 || /revert/i.test(answer)
}
