import type { Kind } from '../../network/choose.ts'
import type { BuiltTx } from '../funding.ts'
import type { PState } from '../state.ts'

/** A sort of transaction that users of the P chain send. */
export type TxKind = Kind<PState, BuiltTx>
