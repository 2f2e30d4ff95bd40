import { fixed, struct, u64, union, type ValueOf } from '../linear/index.ts'
import { credential, outputOwners, secpInput, transferInput, transferOutput } from '../shared/secp256k1fx.ts'
import { baseTxFields, transferableInput, transferableOutput, utxo } from '../shared/transfers.ts'

/** The P-Chain numbers the types of blocks and transactions in one sequence (wire-format.md 1.7). */
const plainInput = union('input', { 5: transferInput })
const plainOutput = union('output', { 7: transferOutput })

/** Locked until `locktime` (Unix seconds). The owner may stake it before. */
const lockIn = struct('stakeable.LockIn', { locktime: u64, input: plainInput })
const lockOut = struct('stakeable.LockOut', { locktime: u64, output: plainOutput })

export const input = union('input', { 5: transferInput, 21: lockIn })
export const output = union('output', { 7: transferOutput, 22: lockOut })
export const anyCredential = union('credential', { 9: credential })
/** Authorizes a change to a subnet, a validator or its configuration. */
export const authorization = union('authorization', { 10: secpInput })
export const owner = union('owner', { 11: outputOwners })

const blsPublicKey = fixed(48)
const blsSignature = fixed(96)

/** BLS public key of a validator (48 bytes) and the proof that it has the secret key (96 bytes). */
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
