import { decodeCb58 } from '../../../codec/ids.ts'

/** The simulated network has no peers, so the id of a transaction determines the uptime of its node. One node in eight is disconnected. */
export function isConnected(txId: string): boolean {
  return decodeCb58(txId)[0]! % 8 !== 0
}

/** In percent. */
export function uptimeOf(txId: string): number {
  return isConnected(txId) ? 100 : 60 + decodeCb58(txId)[1]! / 8
}
