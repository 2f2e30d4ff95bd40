import { fixed, struct, u64, union, type ValueOf } from '../linear/index.ts'
import { credential, outputOwners, secpInput, transferInput, transferOutput } from '../shared/secp256k1fx.ts'
import { baseTxFields, transferableInput, transferableOutput, utxo } from '../shared/transfers.ts'

/** Ids of types are those of the P chain's one id space for blocks and transactions (wire-format.md 1.7). */
const plainInput = union('input', { 5: transferInput })
const plainOutput = union('output', { 7: transferOutput })

/** Locked until `locktime` (Unix seconds), but may be staked before. */
export const lockIn = struct('stakeable.LockIn', { locktime: u64, input: plainInput })
export const lockOut = struct('stakeable.LockOut', { locktime: u64, output: plainOutput })

export const input = union('input', { 5: transferInput, 21: lockIn })
export const output = union('output', { 7: transferOutput, 22: lockOut })
export const anyCredential = union('credential', { 9: credential })
/** Signs for a subnet, a validator or its configuration. */
export const authorization = union('authorization', { 10: secpInput })
export const owner = union('owner', { 11: outputOwners })

const blsPublicKey = fixed(48)
const blsSignature = fixed(96)

/** Public key of a validator and the proof that it has the secret one: 48 and 96 bytes. */
export const proofOfPossession = struct('signer.ProofOfPossession', {
  publicKey: blsPublicKey,
  proofOfPossession: blsSignature,
})
export const signer = union('signer', { 27: struct('signer.Empty', {}), 28: proofOfPossession })

export const pTransferableInput = transferableInput(input)
export const pTransferableOutput = transferableOutput(output)
export const pUtxo = utxo(output)
export const base = baseTxFields(output, input)

export type PInputValue = ValueOf<typeof pTransferableInput>
export type POutputValue = ValueOf<typeof pTransferableOutput>
export type Owner = ValueOf<typeof owner>
export type Signer = ValueOf<typeof signer>
