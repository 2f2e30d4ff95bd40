import { id, list, type Schema, spanned, struct, u64, union, type ValueOf, versioned } from '../linear/index.ts'
import { xTx } from './transactions.ts'

/** `time` in Unix seconds. */
const xBlockBody = union('X block', {
  20: struct('StandardBlock', { parentID: id, height: u64, time: u64, merkleRoot: id, txs: list(spanned(xTx)) }),
})
export type XBlockValue = ValueOf<typeof xBlockBody>

/** A block since Cortina, as a wrapper holds it. Its id is the sha256 of these bytes. Transactions are `spanned`. */
export const xBlock: Schema<XBlockValue> = versioned(xBlockBody)
