import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { RpcOutcome } from '../fetch/json-rpc.ts'

/** What refusals of EVM nodes mean. */

/** Whether this node lags behind the node that stated the head, and may have the block soon. */
export function isBehind(error: unknown): boolean {
  if (error instanceof RpcError) return wordsOfLag.some((words) => words.test(error.answer))
  return error instanceof TransportError && error.code === 'evm.missing-block'
}

/** How nodes say that they do not have a block or its receipts. None of it is about the length of a range. */
const wordsOfLag = [
  /cannot query unfinalized|unfinalized data|after last accepted|null round|resource not found/i,
  /\b(header|block|tipset|epoch|receipts?|height|results?)\b[^.]{0,80}? (not (yet )?(found|available|indexed|produced|synced)|(does not|doesn't) exist|cannot be found|unavailable)\b/i,
  /\b(unknown|no such|(could|can) ?not (find|get|fetch|load)|(can't|couldn't|failed to) (find|get|fetch|load)) (the )?(requested )?(block|header|height|tipset|receipts?|results?)\b/i,
  /\binvalid (block )?height\b|\bheight \S+ must be (less|lower)|\bnot yet (mined|available|indexed)\b|\bblock\b.*\bin the future\b/i,
  /\b(block|height|number|range|epoch)\b.*\b(beyond|past|after|above|(greater|higher|larger|later|newer) than|ahead of|exceeds?) (the )?(current|latest|last|best|chain|canonical|known|node)\b/i,
]

/** The answers of nodes that no longer have old blocks. */
export function isPruned(error: unknown): boolean {
  return error instanceof RpcError && /pruned|history (is )?(not |un)available/i.test(error.message)
}

const codesOfLag: ReadonlySet<string> = new Set(['evm.other-block', 'evm.incomplete-logs'])

/** Whether this node lags behind, or nodes behind the same URL returned different blocks of one number: a retry may succeed. */
export function isLagging(error: unknown): boolean {
  return isBehind(error) || (error instanceof TransportError && codesOfLag.has(error.code))
}

/** Whether an answer contradicts the header of its block: a node that lags behind or is damaged, which another one behind the URL is not. */
export function isContradicting(error: unknown): boolean {
  return error instanceof DecodeError && error.code === 'evm.own-header'
}

/**
 * Whether a call failed because the node does not have the method. Gateways have other codes than that of JSON-RPC. Their words count only if
 * they are about a method: nodes also write "is not available" and "not found" about blocks and state that they do not have.
 */
export function isMissingMethod(outcome: RpcOutcome): boolean {
  if (!('error' in outcome)) return false
  const { rpcCode, answer } = outcome.error
  if (rpcCode === methodNotFound) return true
  if (isBehind(outcome.error)) return false
  return (
    rpcCode === methodNotSupported ||
    wordsOfMissingMethod.test(answer) ||
    (codesWithoutMethod.has(rpcCode) && /^\W*(not|un)[ -]?(supported|found|available|implemented)\W*$/i.test(answer))
  )
}

const methodNotFound = -32601
/** EIP-1474. */
const methodNotSupported = -32004
/** Codes with which gateways refuse a method. */
const codesWithoutMethod: ReadonlySet<number> = new Set([-32700, -32600, -32001])

const wordsOfMissingMethod =
  /\b(method|api|endpoint|(eth|debug|trace|net|web3)_\w+)\b[^.]*\b((is |was |are )?(not|n't) (yet |currently )?(be )?(supported|found|available|allowed|whitelisted|white-listed|implemented|enabled|exist\w*|recogni[sz]ed|permitted|offered|registered)|(does not|doesn't) exist|unsupported|unavailable|disabled|blocked|forbidden|unknown)|\b(unsupported|unknown|unrecogni[sz]ed|unimplemented|no such|disabled|blocked|forbidden|invalid) (rpc |json-rpc )?(method|api|endpoint)\b/i

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
