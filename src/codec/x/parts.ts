import { union, type ValueOf } from '../linear/index.ts'
import * as nft from '../shared/nftfx.ts'
import * as property from '../shared/propertyfx.ts'
import { credential, mintOperation, mintOutput, transferInput, transferOutput } from '../shared/secp256k1fx.ts'
import { baseTxFields, transferableInput, transferableOutput, utxo } from '../shared/transfers.ts'

/** Ids of types are those of the X chain's id space (wire-format.md 1.6). */
export const xInput = union('input', { 5: transferInput })
/** What can be moved; other outputs come from initial states and operations only. */
export const xOutput = union('output', { 7: transferOutput })
/** What a UTXO can hold. */
export const xState = union('output', {
  6: mintOutput,
  7: transferOutput,
  10: nft.nftMintOutput,
  11: nft.nftTransferOutput,
  15: property.propertyMintOutput,
  16: property.propertyOwnedOutput,
})
export const xOperation = union('operation', {
  8: mintOperation,
  12: nft.nftMintOperation,
  13: nft.nftTransferOperation,
  17: property.propertyMintOperation,
  18: property.propertyBurnOperation,
})
export const xCredential = union('credential', {
  9: credential,
  14: nft.nftCredential,
  19: property.propertyCredential,
})

export const xTransferableInput = transferableInput(xInput)
export const xTransferableOutput = transferableOutput(xOutput)
export const xUtxo = utxo(xState)
export const xBase = baseTxFields(xOutput, xInput)

export type XInputValue = ValueOf<typeof xTransferableInput>
export type XState = ValueOf<typeof xState>
export type XOperation = ValueOf<typeof xOperation>
