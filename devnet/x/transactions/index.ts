import type { AssetChain } from '../asset-chain.ts'
import { assetKinds } from './assets.ts'
import type { XKind } from './kind.ts'
import { operationKinds } from './operations.ts'
import { transferKinds } from './transfers.ts'

/** All transactions that users of the X-Chain send. The order must not change, because the chain of a seed depends on it. */
const xKinds: readonly XKind[] = [...transferKinds, ...assetKinds, ...operationKinds]

/** The kinds of transactions that a chain can have. */
export function kindsOf({ fxs, isShared }: AssetChain): readonly XKind[] {
  return xKinds.filter(
    (kind) => (isShared || !/^(Im|Ex)portTx/.test(kind.type)) && (kind.fxs ?? []).every((fx) => fxs.includes(fx)),
  )
}
