import { bytes, list, struct, u32 } from '../linear/index.ts'
import { credential, outputOwners, ownerFields, secpInput } from './secp256k1fx.ts'

export const nftMintOutput = struct('nftfx.MintOutput', { groupID: u32, ...ownerFields })
export const nftTransferOutput = struct('nftfx.TransferOutput', { groupID: u32, payload: bytes, ...ownerFields })

/** Creates one output for each owner in `outputs`. */
export const nftMintOperation = struct('nftfx.MintOperation', {
  mintInput: secpInput,
  groupID: u32,
  payload: bytes,
  outputs: list(outputOwners),
})
export const nftTransferOperation = struct('nftfx.TransferOperation', { input: secpInput, output: nftTransferOutput })
export const nftCredential = struct('nftfx.Credential', credential.fields)
