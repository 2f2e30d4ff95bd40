import type { EvmRefusal } from '../../model.ts'

/** How an EVM ended a call that did not return. */
type CallEnd = 'reverted' | 'failed'

/**
 * The end of a call that the node executed; null where the node did not execute it, because it has no state, a limit stopped it or the request
 * is wrong. Code 3 says that a call reverted, but nodes leave it out where a call reverts without data, and other clients have other codes and
 * words. Only a call that was executed has bytes as data.
 */
export function callEnd({ code, message, data }: EvmRefusal): CallEnd | null {
  const words = typeof data === 'string' ? data : ''
  if (code === reverted || /revert/i.test(message) || /revert/i.test(words)) return 'reverted'
  if (exceptions.test(message) || exceptions.test(words)) return 'failed'
  if (/^VM execution error/i.test(message)) return 'reverted'
  return (bytesIn(data)?.length ?? 0) > 0 && !protocolErrors.has(code) ? 'reverted' : null
}

const reverted = 3

/** Errors of JSON-RPC itself: parse error, invalid request, method not found, invalid parameters. */
const protocolErrors: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602])

/** The exceptions of the EVM as go-ethereum, revm, Besu, Nethermind, OpenEthereum, Frontier, TRON and Lotus name them, with or without words before. */
const exceptions =
  /\b(out[ _]?of[ _]?(gas|stack|fund)\b|(invalid|illegal|undefined|unknown)[ _]?(\w\w)?(opcode|instruction|operation)\b|opcode[ _]?not[ _]?found|designated[ _]?invalid|bad[ _]?(instruction|jump)|invalid[ _]?jump|stack[ _]?(underflow|overflow|limit reached)|(write|static state) protection|mutable call in static|state change during static|illegal[ _]state[ _]change|return data out of bounds|(gas|nonce) uint64 overflow|max (code|initcode) size exceeded|max call depth exceeded|call[ _]?too[ _]?deep|contract creation code storage out of gas|(contract address|create) ?collision|insufficient balance for transfer|insufficient[ _]gas|invalid code\b|not enough energy|message execution failed|SysErrOutOfGas)/i

/** The bytes with which a call reverted; null if the node returned none. */
export function revertData({ data }: EvmRefusal): Uint8Array | null {
  return bytesIn(data)
}

/** The bytes at the end of a text, with words before them or without `0x`, or in an object that a development node wraps them in. */
function bytesIn(data: unknown, depth = 0): Uint8Array | null {
  if (typeof data === 'string') {
    const hex = /(?:0x|^(?=.{8}))((?:[0-9a-f]{2})*)$/i.exec(data)?.[1]
    return hex === undefined ? null : Buffer.from(hex, 'hex')
  }
  if (typeof data !== 'object' || data === null || depth > 2) return null
  const { data: bytes, return: returned, result } = data as Readonly<Record<string, unknown>>
  for (const each of [bytes, returned, result, ...Object.values(data).filter((value) => typeof value === 'object')]) {
    const found = bytesIn(each, depth + 1)
    if (found !== null) return found
  }
  return null
}
