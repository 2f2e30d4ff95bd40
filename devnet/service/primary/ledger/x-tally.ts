import type { UnsignedXTx } from '../../../../codec/x.ts'
import { nativeAsset, nativeAssetText } from '../../../network/genesis.ts'
import type { Tally } from './tally.ts'
import type { XProduced } from './x-outputs.ts'

/** Tables of X-Chain containers and their amount columns. */
export const xTables = {
  x_blocks: [],
  x_transactions: ['burned'],
  x_inputs: ['amount'],
  x_outputs: ['amount'],
  x_assets: ['initial_supply'],
  x_operations: [],
  x_vertices: [],
} as const satisfies Record<string, readonly string[]>

/** Counts the rows of a transaction. */
export function tallyX(tally: Tally, tx: UnsignedXTx, produced: readonly XProduced[]): void {
  const transfers = [...tx.inputs, ...(tx.type === 'ImportTx' ? tx.importedInputs : [])]
  let burned = 0n
  for (const { assetID, input } of transfers) {
    tally.add('x_inputs', { amount: input.amount })
    if (Buffer.compare(assetID, nativeAsset) === 0) burned += input.amount
  }
  produced.forEach(({ asset, state }, index) => {
    const amount = 'amount' in state ? state.amount : null
    tally.add('x_outputs', { amount })
    // Operations state what they mint but not what they consume.
    const operated = tx.type === 'OperationTx' && index >= tx.outputs.length
    if (asset === nativeAssetText && amount !== null && !operated) burned -= amount
  })
  tally.add('x_transactions', { burned })
  if (tx.type === 'CreateAssetTx') {
    const initial = produced.slice(tx.outputs.length)
    const supply = initial.reduce((sum, { state }) => sum + ('amount' in state ? state.amount : 0n), 0n)
    tally.add('x_assets', { initial_supply: supply })
  }
  if (tx.type !== 'OperationTx') return
  for (const { inputIDs } of tx.operations) {
    tally.add('x_operations')
    for (const _ of inputIDs) tally.add('x_inputs')
  }
}
