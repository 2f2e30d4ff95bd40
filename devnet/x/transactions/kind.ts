import type { FxOrder } from '../../../codec/fxs.ts'
import type { Kind } from '../../network/choose.ts'
import type { BuiltXTx } from '../funding.ts'
import type { XState } from '../state.ts'

/** A kind of transaction that users of the X-Chain send. */
export type XKind = Kind<XState, BuiltXTx> & {
  /** Feature extensions that the chain must have in addition to secp256k1; default none. */
  readonly fxs?: FxOrder
}
