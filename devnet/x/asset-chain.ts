import { blockTypeId, type FxOrder, primaryFxs } from '../../codec/fxs.ts'
import { type XCodec, xCodec } from '../../codec/x.ts'
import { chainIds } from '../network/genesis.ts'

/** A chain of the asset VM: the facts that its bytes depend on. */
export type AssetChain = {
  readonly id: Uint8Array
  readonly fxs: FxOrder
  readonly codec: XCodec
  /** Type id of its blocks. */
  readonly blockType: number
  /** Whether it exchanges assets with other chains. */
  readonly isShared: boolean
}

/** The X-Chain of the primary network. */
export const xChain: AssetChain = {
  id: chainIds.X,
  fxs: primaryFxs,
  codec: xCodec(null),
  blockType: blockTypeId(primaryFxs),
  isShared: true,
}

/** A chain of a subnet. It has no imports from other chains and no exports to them. */
export function assetChain(id: Uint8Array, fxs: FxOrder): AssetChain {
  return { id, fxs, codec: xCodec(fxs), blockType: blockTypeId(fxs), isShared: false }
}
