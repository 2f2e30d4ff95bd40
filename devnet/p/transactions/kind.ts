import type { Kind } from '../../network/choose.ts'
import type { BuiltTx } from '../funding.ts'
import type { PState } from '../state.ts'

/** A kind of transaction that users of the P-Chain send. */
export type TxKind = Kind<PState, BuiltTx>
