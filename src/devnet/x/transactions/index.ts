import type { AssetChain } from '../asset-chain.ts'
import { assetKinds } from './assets.ts'
import type { XKind } from './kind.ts'
import { operationKinds } from './operations.ts'
import { transferKinds } from './transfers.ts'

/** Everything that users of the X chain send, in an order that is part of what a seed means. */
const xKinds: readonly XKind[] = [...transferKinds, ...assetKinds, ...operationKinds]

/** Those that a chain can have. */
export function kindsOf({ fxs, isShared }: AssetChain): readonly XKind[] {
  return xKinds.filter(
    (kind) => (isShared || !/^(Im|Ex)portTx/.test(kind.type)) && (kind.fxs ?? []).every((fx) => fxs.includes(fx)),
  )
}
