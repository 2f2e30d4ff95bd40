import type { Refusal } from '../../define/index.ts'

/** The node does not have what was asked for; another one may, or this one later. */
export function isNotFound(refusal: Refusal): boolean {
  // Transactions that the X and C chains do not have are called so.
  return !isUnknownMethod(refusal) && /\bnot found$|^nil transaction ID$/.test(refusal.message)
}

/** The node does not know the method, or the server before it does not let it through. */
export function isUnknownMethod({ code, message }: Refusal): boolean {
  return [methodNotFound, methodNotSupported].includes(code) || unknownWords.test(message)
}

const methodNotFound = -32601
/** EIP-1474. */
const methodNotSupported = -32004
const unknownWords =
  /can't find (service|method)|request ill-formed|\bmethod\b.*\b(not (supported|available|found|allowed)|unsupported|does not exist)|\bunsupported method\b/i
