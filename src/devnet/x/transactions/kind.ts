import type { Kind } from '../../network/choose.ts'
import type { BuiltXTx } from '../funding.ts'
import type { XState } from '../state.ts'

/** A sort of transaction that users of the X chain send. */
export type XKind = Kind<XState, BuiltXTx>
