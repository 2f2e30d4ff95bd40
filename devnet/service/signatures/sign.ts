import { createHash } from 'node:crypto'
import { encode } from '../../../codec/linear.ts'
import { type L1Message, l1Message, unsignedWarpMessage, warpPayload } from '../../../codec/warp.ts'
import { chainIds, networkId } from '../../network/genesis.ts'

/** The unsigned message of the P-Chain about a validator of an L1. */
export function saidByPChain(message: L1Message): Uint8Array {
  const sourceAddress = new Uint8Array()
  const call = encode(warpPayload, {
    type: 'warp.AddressedCall',
    sourceAddress,
    payload: encode(l1Message, message),
  })
  return encode(unsignedWarpMessage, { networkID: networkId, sourceChainID: chainIds.P, payload: call })
}

const signatureLength = 96

/**
 * An unsigned message with a placeholder signature of the validators: type 0, a bit set of signers and 96 bytes that depend only on the
 * message. It cannot be verified.
 */
export function signed(message: Uint8Array): Buffer {
  const digest = createHash('sha512').update('chainlake devnet signature').update(message).digest()
  const signature = Buffer.concat([digest, createHash('sha512').update(digest).digest()]).subarray(0, signatureLength)
  const signers = Buffer.of(0, 0, 0, 1, 0x1f)
  return Buffer.concat([message, Buffer.alloc(4), signers, signature])
}
