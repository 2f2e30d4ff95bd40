import { bool, bytes, decodeExactly, fixed, id, struct, u32, u64, union, type ValueOf, versioned } from './linear.ts'
import { pChainOwner } from './p.ts'

const unsignedFields = { networkID: u32, sourceChainID: id, payload: bytes }

/** What follows a message when validators have signed it. `signers`: a bit for each of them. */
export const warpSignature = union('warp signature', {
  0: struct('warp.BitSetSignature', { signers: bytes, signature: fixed(96) }),
})

/** A message without its signature. The sha256 of these bytes is its id (wire-format.md 1.9). */
export const unsignedWarpMessage = versioned(struct('warp.UnsignedMessage', unsignedFields))

/** A signed message, as in transactions. */
export const warpMessage = versioned(struct('warp.Message', { ...unsignedFields, signature: warpSignature }))

export const warpPayload = versioned(
  union('warp payload', {
    0: struct('warp.Hash', { hash: id }),
    1: struct('warp.AddressedCall', { sourceAddress: bytes, payload: bytes }),
  }),
)

/** The payload of an addressed call about validators of an L1. `expiry` is in Unix seconds. */
export const l1Message = versioned(
  union('L1 message', {
    0: struct('warp.SubnetToL1Conversion', { id }),
    1: struct('warp.RegisterL1Validator', {
      subnetID: id,
      nodeID: bytes,
      blsPublicKey: fixed(48),
      expiry: u64,
      remainingBalanceOwner: pChainOwner,
      disableOwner: pChainOwner,
      weight: u64,
    }),
    2: struct('warp.L1ValidatorRegistration', { validationID: id, registered: bool }),
    3: struct('warp.L1ValidatorWeight', { validationID: id, nonce: u64, weight: u64 }),
  }),
)
export type L1Message = ValueOf<typeof l1Message>

export type L1Call = {
  readonly message: ValueOf<typeof warpMessage>
  /** Bytes of the L1 message. The sha256 of a `RegisterL1Validator` is the validation id. */
  readonly payload: Uint8Array
  readonly value: L1Message
}

/**
 * Returns the L1 message in the signed Warp message of a RegisterL1ValidatorTx or SetL1ValidatorWeightTx. Throws `DecodeError` with `path`
 * as the path of the message's bytes.
 */
export function decodeL1Call(bytes: Uint8Array, path: string): L1Call {
  const message = decodeExactly(warpMessage, bytes, path)
  const call = decodeExactly(warpPayload, message.payload, `${path}.payload`)
  const payload = call.type === 'warp.AddressedCall' ? call.payload : new Uint8Array()
  return { message, payload, value: decodeExactly(l1Message, payload, `${path}.payload.payload`) }
}
