import type { XAsset } from '../../../schemas/x-assets.ts'
import type { XInput } from '../../../schemas/x-inputs.ts'
import type { XOperation as XOperationRow } from '../../../schemas/x-operations.ts'
import type { XOutput } from '../../../schemas/x-outputs.ts'
import type { XTransaction } from '../../../schemas/x-transactions.ts'
import type { ChainContext } from '../../model.ts'

/** The first columns of every row of an X-Chain transaction. The block is unknown in a legacy index. */
type XPlace = {
  readonly network: string
  readonly blockchain_id: string
  readonly height: number | null
  readonly block_time: bigint | null
  readonly tx_index: number | null
  readonly tx_id: string
}

/** A transaction and what its rows need. */
export type XSource = {
  readonly context: ChainContext
  readonly place: XPlace
  /** The 32 bytes of `place.tx_id`. */
  readonly txId: Uint8Array
  /** Null in a legacy index. */
  readonly blockId: string | null
  readonly timestampSource: 'block' | 'accepted'
  /** Time at which the node accepted the container of the transaction, in microseconds; null without a container. */
  readonly acceptedAt: bigint | null
  readonly containerIndex: number | null
}

/** The rows that transactions of any index fill. */
export type XTransactionRows = {
  transactions: XTransaction[]
  inputs: XInput[]
  outputs: XOutput[]
  assets: XAsset[]
  operations: XOperationRow[]
}
