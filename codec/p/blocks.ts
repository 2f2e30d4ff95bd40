import { id, list, type Schema, spanned, struct, u64, union, type ValueOf, versioned } from '../linear/index.ts'
import { pTx } from './transactions.ts'

const common = { parentID: id, height: u64 }
const tx = spanned(pTx)
const txs = list(tx)
/** Unix seconds. */
const time = u64

/** Every block of the P-Chain by its type id (wire-format.md 1.7). */
const pBlockBody = union('P block', {
  0: struct('ApricotProposalBlock', { ...common, tx }),
  1: struct('ApricotAbortBlock', common),
  2: struct('ApricotCommitBlock', common),
  3: struct('ApricotStandardBlock', { ...common, txs }),
  4: struct('ApricotAtomicBlock', { ...common, tx }),
  29: struct('BanffProposalBlock', { time, txs, ...common, tx }),
  30: struct('BanffAbortBlock', { time, ...common }),
  31: struct('BanffCommitBlock', { time, ...common }),
  32: struct('BanffStandardBlock', { time, ...common, txs }),
})
export type PBlockValue = ValueOf<typeof pBlockBody>

/** A block inside a container. The sha256 of these bytes is its id. Transactions are `spanned`. */
export const pBlock: Schema<PBlockValue> = versioned(pBlockBody)
