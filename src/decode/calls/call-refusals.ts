import type { EvmRefusal } from '../../model.ts'

/** How an EVM ended a call that did not return. */
export type CallEnd = 'reverted' | 'failed'

/**
 * The end of a call that the node executed; null where the node did not execute it, because it has no state, a limit stopped it or the request
 * is wrong. Code 3 says that a call reverted, but nodes leave it out where a call reverts without data.
 */
export function callEnd({ code, message }: EvmRefusal): CallEnd | null {
  if (code === reverted || /^(execution reverted|VM execution error)/i.test(message)) return 'reverted'
  return exceptions.test(message) ? 'failed' : null
}

const reverted = 3

/** The exceptions of the EVM as geth and its descendants name them. */
const exceptions =
  /^(out of gas|invalid opcode|invalid jump destination|stack (underflow|limit reached)|write protection|return data out of bounds|gas uint64 overflow|nonce uint64 overflow|max (code|initcode) size exceeded|max call depth exceeded|contract creation code storage out of gas|contract address collision|insufficient balance for transfer|invalid code)/i

/** The bytes with which a call reverted; null if the node returned none. */
export function revertData({ data }: EvmRefusal): Uint8Array | null {
  const hex = typeof data === 'string' ? /0x((?:[0-9a-f]{2})*)$/i.exec(data)?.[1] : undefined
  return hex === undefined ? null : Buffer.from(hex, 'hex')
}
