import { idText } from '../../../../codec/ids.ts'
import type { PInputValue, POutputValue } from '../../../../codec/p.ts'
import type { Book, Spent } from './book.ts'
import type { Place, Utxo } from './model.ts'

type Emission = Pick<Utxo, 'origin' | 'livesOn' | 'stake'> & {
  readonly txId: Uint8Array
  readonly txText: string
  readonly firstIndex: number
  readonly place: Place
}

/** Emits outputs of a P-Chain transaction with consecutive indexes. */
export function emitPOutputs(book: Book, outputs: readonly POutputValue[], emission: Emission): Utxo[] {
  const { txId, txText, firstIndex, place, origin, livesOn, stake } = emission
  return outputs.map(({ assetID, output }, position) => {
    const locked = output.type === 'stakeable.LockOut'
    const plain = locked ? output.output : output
    return book.emit(
      {
        txId: txText,
        index: firstIndex + position,
        asset: idText(assetID),
        amount: plain.amount,
        kind: 'transfer',
        groupId: null,
        payload: null,
        owner: book.ownerOf(plain),
        stakeableLocktime: locked ? output.locktime : null,
        origin,
        createdOn: 'P',
        livesOn,
        created: place,
        rewardType: null,
        stake,
      },
      txId,
    )
  })
}

/** Emits a payment that is not an output of the transaction itself: a reward, or the remaining balance of an L1 validator. */
export function emitPaid(
  book: Book,
  paid: Pick<Utxo, 'txId' | 'index' | 'asset' | 'amount' | 'owner' | 'origin' | 'created' | 'rewardType'>,
): Utxo {
  return book.emit({
    ...paid,
    kind: 'transfer',
    groupId: null,
    payload: null,
    stakeableLocktime: null,
    createdOn: 'P',
    livesOn: 'P',
    stake: null,
  })
}

export function pSpent(inputs: readonly PInputValue[]): Spent[] {
  return inputs.map(({ txID, outputIndex, assetID, input }) => {
    const { amount } = input.type === 'stakeable.LockIn' ? input.input : input
    return { txId: idText(txID), index: outputIndex, asset: idText(assetID), amount, signatures: [] }
  })
}

type StakedOutputs = { readonly asset: string; readonly amount: bigint }

/** Asset and sum of a stake. */
export function stakedOf(stake: readonly POutputValue[]): StakedOutputs {
  const amount = stake.reduce((sum, { output }) => {
    return sum + (output.type === 'stakeable.LockOut' ? output.output.amount : output.amount)
  }, 0n)
  return { asset: idText(stake[0]!.assetID), amount }
}
