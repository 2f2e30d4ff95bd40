import { assetKinds } from './assets.ts'
import type { XKind } from './kind.ts'
import { operationKinds } from './operations.ts'
import { transferKinds } from './transfers.ts'

/** Everything that users of the X chain send, in an order that is part of what a seed means. */
export const xKinds: readonly XKind[] = [...transferKinds, ...assetKinds, ...operationKinds]
