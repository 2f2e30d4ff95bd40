import {
  bool,
  bytes,
  fixed,
  id,
  type Schema,
  struct,
  u32,
  u64,
  union,
  type ValueOf,
  versioned,
} from './linear/index.ts'
import { pChainOwner } from './p/subnet-txs.ts'

const unsignedFields = { networkID: u32, sourceChainID: id, payload: bytes }
const signature = union('warp signature', {
  0: struct('warp.BitSetSignature', { signers: bytes, signature: fixed(96) }),
})

const unsigned = struct('warp.UnsignedMessage', unsignedFields)
const message = struct('warp.Message', { ...unsignedFields, signature })
type UnsignedWarpMessage = ValueOf<typeof unsigned>
export type WarpMessage = ValueOf<typeof message>

/** A message without its signature. The sha256 of these bytes is its id (wire-format.md 1.9). */
export const unsignedWarpMessage: Schema<UnsignedWarpMessage> = versioned(unsigned)

/** A signed message, as in transactions. */
export const warpMessage: Schema<WarpMessage> = versioned(message)

/** The payload of a message. */
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
