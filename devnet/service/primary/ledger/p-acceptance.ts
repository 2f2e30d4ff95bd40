import { idText } from '../../../../codec/ids.ts'
import type { PTx, UnsignedPTx } from '../../../../codec/p.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Journal } from './journal.ts'
import type { PDetails, Place, PTransaction, Utxo } from './model.ts'
import { endDetails, l1BalanceOf, pDetails } from './p-details.ts'
import { createL1Validators } from './p-l1.ts'
import { emitPOutputs, pSpent } from './p-outputs.ts'
import { changePermissioned } from './p-permissioned.ts'
import { createStakes, termsOf } from './p-stakes.ts'
import { aliasOf, hexOf } from './texts.ts'

/** A transaction that was decoded from its block. */
export type Decoded = {
  readonly tx: PTx
  readonly txId: Uint8Array
  readonly txText: string
  readonly place: Place
}

/** Applies accepted transactions to the ledger of the P-Chain. */
type Acceptance = {
  accept(decoded: Decoded): void
  /** Commits or aborts a proposal. */
  decide(decoded: Decoded, commit: boolean): void
  state(): { readonly l1Fees: bigint; readonly l1Validators: number }
}

type Rewarding = Extract<UnsignedPTx, { type: 'RewardValidatorTx' | 'RewardAutoRenewedValidatorTx' }>

type Configuring = Extract<UnsignedPTx, { type: 'SetAutoRenewedValidatorConfigTx' }>

export function createAcceptance(journal: Journal): Acceptance {
  const { book } = journal
  const stakes = createStakes(journal)
  const l1s = createL1Validators(journal)

  const enter = ({ tx: { unsignedTx: tx }, txText, place }: Decoded, details: PDetails): PTransaction => {
    const [sourceChain, destinationChain] = chainsOf(tx)
    const transaction: PTransaction = {
      chain: 'P',
      txId: txText,
      type: tx.type,
      place,
      order: journal.p.length,
      memo: 'memo' in tx ? hexOf(tx.memo) : '',
      consumed: [],
      emitted: [],
      sourceChain,
      destinationChain,
      details,
      l1Balance: l1BalanceOf(tx),
      stake: null,
    }
    journal.p.push(transaction)
    for (const { validationId } of details.l1Validators ?? []) {
      const list = journal.byValidation.get(validationId) ?? []
      list.push(transaction)
      journal.byValidation.set(validationId, list)
    }
    if ('inputs' in tx) book.spend(transaction, 'P', pSpent(tx.inputs))
    if (tx.type === 'ImportTx') book.spend(transaction, 'P', pSpent(tx.importedInputs))
    return transaction
  }
  const configure = ({ txID, period, autoCompoundRewardShares }: Configuring): void => {
    const stake = stakes.find(idText(txID))
    stake.period = Number(period)
    if (stake.renewal !== null) stake.renewal.shares = autoCompoundRewardShares
  }
  const accept = (decoded: Decoded, aborted = false): void => {
    const { tx, txId, txText, place } = decoded
    const { unsignedTx } = tx
    const l1 = l1s.changes(unsignedTx, place.time)
    if (!aborted) changePermissioned(journal, unsignedTx, txText, place.time)
    if (unsignedTx.type === 'TransformSubnetTx')
      journal.supplies.set(idText(unsignedTx.subnetID), unsignedTx.initialSupply)
    const facts = { txId: txText, blockTime: place.time, l1, ownerOf: book.ownerOf }
    const transaction = enter(decoded, pDetails(unsignedTx, facts))
    if (!('outputs' in unsignedTx)) return
    if ('stake' in unsignedTx && !aborted)
      transaction.stake = stakes.begin(unsignedTx, termsOf(unsignedTx, place.time), transaction)
    emitOutputs(decoded, transaction)
    if (unsignedTx.type === 'SetAutoRenewedValidatorConfigTx') configure(unsignedTx)
    l1s.refund(unsignedTx, txId, transaction)
  }
  const emitOutputs = ({ tx: { unsignedTx }, txId, txText, place }: Decoded, transaction: PTransaction): void => {
    if (!('outputs' in unsignedTx)) return
    const emit = (list: typeof unsignedTx.outputs, rest: Pick<Utxo, 'origin' | 'livesOn' | 'stake'>): void => {
      const firstIndex = transaction.emitted.length
      transaction.emitted.push(...emitPOutputs(book, list, { txId, txText, firstIndex, place, ...rest }))
    }
    const plain = { origin: 'output', livesOn: 'P', stake: null } as const
    emit(unsignedTx.outputs, plain)
    if ('stake' in unsignedTx) {
      // An aborted proposal returns its stake at once.
      const { stake } = transaction
      emit(unsignedTx.stake, stake === null ? plain : { origin: 'stake', livesOn: 'P', stake })
    }
    if (unsignedTx.type === 'ExportTx')
      emit(unsignedTx.exportedOutputs, { origin: 'export', livesOn: aliasOf(unsignedTx.destinationChain), stake: null })
  }
  const end = (decoded: Decoded, tx: Rewarding, commit: boolean): void => {
    const stake = stakes.find(idText(tx.txID))
    const transaction = enter(decoded, endDetails(stake))
    transaction.stake = stake
    stakes.end(stake, transaction, commit)
  }
  return {
    accept,
    decide: (decoded, commit) => {
      const { unsignedTx } = decoded.tx
      if (unsignedTx.type === 'RewardValidatorTx' || unsignedTx.type === 'RewardAutoRenewedValidatorTx')
        end(decoded, unsignedTx, commit)
      // A refused AdvanceTimeTx is proposed again as the same transaction. Only the committed one is listed.
      else if (commit || unsignedTx.type !== 'AdvanceTimeTx') accept(decoded, !commit)
    },
    state: () => ({ l1Fees: l1s.fees(), l1Validators: l1s.active() }),
  }
}

function chainsOf(tx: UnsignedPTx): readonly [ChainAlias | null, ChainAlias | null] {
  if (tx.type === 'ImportTx') return [aliasOf(tx.sourceChain), 'P']
  if (tx.type === 'ExportTx') return ['P', aliasOf(tx.destinationChain)]
  return [null, null]
}
