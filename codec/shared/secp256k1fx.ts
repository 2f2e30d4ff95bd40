import { fixed, list, shortId, struct, u32, u64 } from '../linear/index.ts'

/** The fields of an owner: `threshold` of `addresses` must sign, from `locktime` (Unix seconds) on. */
export const ownerFields = { locktime: u64, threshold: u32, addresses: list(shortId) }

export const outputOwners = struct('secp256k1fx.OutputOwners', ownerFields)
export const secpInput = struct('secp256k1fx.Input', { signatureIndices: list(u32) })
export const transferInput = struct('secp256k1fx.TransferInput', { amount: u64, signatureIndices: list(u32) })
export const transferOutput = struct('secp256k1fx.TransferOutput', { amount: u64, ...ownerFields })
export const mintOutput = struct('secp256k1fx.MintOutput', ownerFields)
export const credential = struct('secp256k1fx.Credential', { signatures: list(fixed(65)) })

/** The parts of an operation have no type ids. The published documentation shows type ids here, which is wrong. */
export const mintOperation = struct('secp256k1fx.MintOperation', {
  mintInput: secpInput,
  mintOutput,
  transferOutput,
})
