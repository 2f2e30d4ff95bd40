import { idText } from '../cb58.ts'
import * as nft from '../shared/nftfx.ts'
import * as property from '../shared/propertyfx.ts'
import { credential, mintOperation, mintOutput, transferInput, transferOutput } from '../shared/secp256k1fx.ts'

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
  nftfx: [nft.nftMintOutput, nft.nftTransferOutput, nft.nftMintOperation, nft.nftTransferOperation, nft.nftCredential],
  propertyfx: [
    property.propertyMintOutput,
    property.propertyOwnedOutput,
    property.propertyMintOperation,
    property.propertyBurnOperation,
    property.propertyCredential,
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
