import type { Refusal } from '../../define/index.ts'

/** The node does not have what was asked for; another one may, or this one later. */
export function isNotFound(refusal: Refusal): boolean {
  // Transactions that the X and C chains do not have are called so.
  return !isUnknownMethod(refusal) && /\bnot found$|^nil transaction ID$/.test(refusal.message)
}

/** The node does not know the method. */
export function isUnknownMethod({ code, message }: Refusal): boolean {
  return code === -32601 || /can't find (service|method)|request ill-formed/.test(message)
}
