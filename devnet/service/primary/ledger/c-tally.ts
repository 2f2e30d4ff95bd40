import type { UnsignedAtomicTx } from '../../../../codec/c.ts'
import { nativeAsset } from '../../../network/genesis.ts'
import type { Tally } from './tally.ts'

/** Tables of atomic transactions in C-Chain containers and their amount columns. */
export const cTables = {
  c_atomic_transactions: ['burned'],
  c_atomic_inputs: ['amount'],
  c_atomic_outputs: ['amount'],
} as const satisfies Record<string, readonly string[]>

type Moved = { readonly assetID: Uint8Array; readonly amount: bigint }

/** Counts the rows of an atomic transaction. */
export function tallyAtomic(tally: Tally, tx: UnsignedAtomicTx): void {
  const { inputs, outputs } = movedBy(tx)
  for (const { amount } of inputs) tally.add('c_atomic_inputs', { amount })
  for (const { amount } of outputs) tally.add('c_atomic_outputs', { amount })
  tally.add('c_atomic_transactions', { burned: nativeOf(inputs) - nativeOf(outputs) })
}

function movedBy(tx: UnsignedAtomicTx): { readonly inputs: readonly Moved[]; readonly outputs: readonly Moved[] } {
  if (tx.type === 'ImportTx') {
    const inputs = tx.importedInputs.map(({ assetID, input }) => ({ assetID, amount: input.amount }))
    return { inputs, outputs: tx.outputs }
  }
  const outputs = tx.exportedOutputs.map(({ assetID, output }) => ({ assetID, amount: output.amount }))
  return { inputs: tx.inputs, outputs }
}

function nativeOf(moved: readonly Moved[]): bigint {
  return moved.reduce((sum, { assetID, amount }) => {
    return Buffer.compare(assetID, nativeAsset) === 0 ? sum + amount : sum
  }, 0n)
}
