import { idText } from './ids.ts'
import { bytes, fixed, id, list, type Schema, shortId, struct, u32, u64 } from './linear.ts'

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

export const propertyMintOutput = struct('propertyfx.MintOutput', ownerFields)
export const propertyOwnedOutput = struct('propertyfx.OwnedOutput', ownerFields)
export const propertyMintOperation = struct('propertyfx.MintOperation', {
  mintInput: secpInput,
  mintOutput: propertyMintOutput,
  ownedOutput: propertyOwnedOutput,
})
export const propertyBurnOperation = struct('propertyfx.BurnOperation', secpInput.fields)
export const propertyCredential = struct('propertyfx.Credential', credential.fields)

/** A feature extension of the asset VM (AVM): a family of types of outputs, inputs, operations and credentials. */
export type Fx = 'secp256k1fx' | 'nftfx' | 'propertyfx'
/**
 * The feature extensions of a chain of the asset VM, in the order of its CreateChainTx. This order determines the type ids of outputs,
 * inputs, operations, credentials and blocks.
 */
export type FxOrder = readonly Fx[]

/** The types of each feature extension, in the order of their registration. */
const typesOf = {
  secp256k1fx: [transferInput, mintOutput, transferOutput, mintOperation, credential],
  nftfx: [nftMintOutput, nftTransferOutput, nftMintOperation, nftTransferOperation, nftCredential],
  propertyfx: [
    propertyMintOutput,
    propertyOwnedOutput,
    propertyMintOperation,
    propertyBurnOperation,
    propertyCredential,
  ],
} as const satisfies Record<Fx, readonly unknown[]>

/** The order on the X-Chain of every primary network. */
export const primaryFxs: FxOrder = ['secp256k1fx', 'nftfx', 'propertyfx']

/** Transactions have the type ids 0 to 4. */
const transactionTypes = 5

/** Returns the type ids of a chain by the names of its types. They follow those of transactions: five for each feature extension. */
export function fxTypeIds(order: FxOrder): ReadonlyMap<string, number> {
  const types = order.flatMap((fx) => typesOf[fx].map(({ type }): string => type))
  return new Map(types.map((type, position) => [type, transactionTypes + position]))
}

/** Returns the type id of the block. The chain registers it last. */
export function blockTypeId(order: FxOrder): number {
  return transactionTypes + fxTypeIds(order).size
}

const fxById: ReadonlyMap<string, Fx> = new Map(
  (Object.keys(typesOf) as Fx[]).map((fx) => [idText(fxId(fx)), fx] as const),
)

/** Returns the feature extension with this CB58 id, which CreateChainTx lists. Null if the asset VM does not have it. */
export function fxOfId(id: string): Fx | null {
  return fxById.get(id) ?? null
}

/** Returns the CB58 id of the feature extension of a type. The name of the type begins with it, as in `nftfx.MintOutput`. */
export function fxIdOfType(type: string): string {
  const fx = type.slice(0, type.indexOf('.')) as Fx
  return idText(fxId(fx))
}

/** Returns the id of a feature extension: its name, padded with zeros to 32 bytes. */
export function fxId(fx: Fx): Uint8Array {
  const id = new Uint8Array(32)
  id.set(new TextEncoder().encode(fx))
  return id
}

/** The transaction that created a UTXO, and the index of the output. */
export const utxoIdFields = { txID: id, outputIndex: u32 }

/** An output that a transaction of any chain creates. `output` is the chain's union of outputs. */
export function transferableOutput<O>(output: Schema<O>) {
  return struct('avax.TransferableOutput', { assetID: id, output })
}

export function transferableInput<I>(input: Schema<I>) {
  return struct('avax.TransferableInput', { ...utxoIdFields, assetID: id, input })
}

export function utxo<O>(output: Schema<O>) {
  return struct('avax.UTXO', { ...utxoIdFields, assetID: id, output })
}

/** The first fields of P- and X-Chain transactions. */
export function baseTxFields<O, I>(output: Schema<O>, input: Schema<I>) {
  return {
    networkID: u32,
    blockchainID: id,
    outputs: list(transferableOutput(output)),
    inputs: list(transferableInput(input)),
    memo: bytes,
  }
}
