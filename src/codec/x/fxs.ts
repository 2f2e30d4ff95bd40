import type { Fx, FxOrder } from '../../model.ts'
import { idText } from '../cb58.ts'
import * as nft from '../shared/nftfx.ts'
import * as property from '../shared/propertyfx.ts'
import { credential, mintOperation, mintOutput, transferInput, transferOutput } from '../shared/secp256k1fx.ts'

/** The types of each feature extension, in the order in which it registers them. */
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

/** The order of the X chain of every primary network. */
export const primaryFxs: FxOrder = ['secp256k1fx', 'nftfx', 'propertyfx']

/** Transactions have the type ids 0 to 4. */
const transactionTypes = 5

/** Type ids of a chain by the names of its types: five for each feature extension, behind those of transactions. */
export function fxTypeIds(order: FxOrder): ReadonlyMap<string, number> {
  const types = order.flatMap((fx) => typesOf[fx].map(({ type }): string => type))
  return new Map(types.map((type, position) => [type, transactionTypes + position]))
}

/** The type id of the block, which the chain registers last. */
export function blockTypeId(order: FxOrder): number {
  return transactionTypes + fxTypeIds(order).size
}

const fxById: ReadonlyMap<string, Fx> = new Map(
  (Object.keys(typesOf) as Fx[]).map((fx) => [idText(fxId(fx)), fx] as const),
)

/** The feature extension that has this CB58 id, as CreateChainTx lists it; null for one that the asset VM does not have. */
export function fxOfId(id: string): Fx | null {
  return fxById.get(id) ?? null
}

/** The CB58 id of the feature extension that a type belongs to: the name in front, as in `nftfx.MintOutput`. */
export function fxIdOfType(type: string): string {
  const fx = type.slice(0, type.indexOf('.')) as Fx
  return idText(fxId(fx))
}

/** The id of a feature extension: its name, filled up with zeros. */
export function fxId(fx: Fx): Uint8Array {
  const id = new Uint8Array(32)
  id.set(new TextEncoder().encode(fx))
  return id
}
