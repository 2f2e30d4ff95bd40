import { sha256 } from './hash.ts'
import {
  bytes,
  decodeExactly,
  encode,
  fixed,
  id,
  list,
  type Schema,
  struct,
  u64,
  type ValueOf,
  versioned,
} from './linear/index.ts'
import { type L1Message, l1Message, type WarpMessage, warpMessage, warpPayload } from './warp.ts'

const conversion = struct('SubnetToL1ConversionData', {
  subnetID: id,
  managerChainID: id,
  managerAddress: bytes,
  validators: list(struct('ConversionValidatorData', { nodeID: bytes, blsPublicKey: fixed(48), weight: u64 })),
})
type L1Conversion = ValueOf<typeof conversion>
const conversionSchema: Schema<L1Conversion> = versioned(conversion)

/** Returns the id of a conversion: the id in the `SubnetToL1Conversion` message of a ConvertSubnetToL1Tx (wire-format.md 1.2). */
export function conversionId(value: L1Conversion): Uint8Array {
  return sha256(encode(conversionSchema, value))
}

export type L1Call = {
  readonly message: WarpMessage
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
