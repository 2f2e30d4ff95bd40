import type { Refusal } from '../../define/index.ts'

/** Returns whether the node does not have the requested object. Another node may have it, or this one may have it later. */
export function isNotFound(refusal: Refusal): boolean {
  // The X-Chain and C-Chain report unknown transactions as a nil transaction id.
  return !isUnknownMethod(refusal) && /\bnot found$|^nil transaction ID$/.test(refusal.message)
}

/** Returns whether the node does not know the method, or the server in front of it does not allow it. */
export function isUnknownMethod({ code, message }: Refusal): boolean {
  return [methodNotFound, methodNotSupported].includes(code) || unknownWords.test(message)
}

const methodNotFound = -32601
/** EIP-1474. */
const methodNotSupported = -32004
const unknownWords =
  /can't find (service|method)|request ill-formed|\bmethod\b.*\b(not (supported|available|found|allowed)|unsupported|does not exist)|\bunsupported method\b/i
