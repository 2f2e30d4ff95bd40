import { struct } from '../linear/index.ts'
import { credential, ownerFields, secpInput } from './secp256k1fx.ts'

export const propertyMintOutput = struct('propertyfx.MintOutput', ownerFields)
export const propertyOwnedOutput = struct('propertyfx.OwnedOutput', ownerFields)
export const propertyMintOperation = struct('propertyfx.MintOperation', {
  mintInput: secpInput,
  mintOutput: propertyMintOutput,
  ownedOutput: propertyOwnedOutput,
})
export const propertyBurnOperation = struct('propertyfx.BurnOperation', secpInput.fields)
export const propertyCredential = struct('propertyfx.Credential', credential.fields)
