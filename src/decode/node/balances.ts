import type { NodeBalance } from '../../../schemas/node-balances.ts'
import { decodeCb58, idText } from '../../codec/cb58.ts'
import { utxoId } from '../../codec/ids.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import {
  answerObject,
  count,
  finish,
  ignore,
  object,
  objects,
  optionalObjects,
  pathOf,
  type Reading,
  text,
  whole,
  wrong,
} from '../service/fields.ts'

export type BalanceQuestion = {
  readonly network: string
  readonly blockchainId: string
  /** Of an answer for several addresses all of them, with commas between: such a row fits no table. */
  readonly address: string
  /** As the table observations names it. */
  readonly subject: string
  /** What the alias AVAX stands for; null when nobody said it. */
  readonly nativeAssetId: string | null
}

type BalancePage = Omit<Page, 'rows'> & { readonly rows: { balances: NodeBalance[] } }

/** platform.getBalance (specification 4.3): a row an asset. */
export function decodePBalances(question: BalanceQuestion) {
  return (answer: unknown, context: ReadingContext): BalancePage => {
    const at = answerObject(answer, 'answer', context)
    const maps = {
      balance: amounts(at, 'balances'),
      unlocked: amounts(at, 'unlockeds'),
      locked_stakeable: amounts(at, 'lockedStakeables'),
      locked_not_stakeable: amounts(at, 'lockedNotStakeables'),
    }
    const utxoIds = utxoIdsOf(at)
    // Sums of the native asset, which the maps have too.
    ignore(at, 'balance', 'unlocked', 'lockedStakeable', 'lockedNotStakeable')
    finish(at)
    const rows = [...maps.balance].map(([asset, balance]) => ({
      ...assetRow(question, context, asset),
      balance,
      unlocked: maps.unlocked.get(asset) ?? 0n,
      locked_stakeable: maps.locked_stakeable.get(asset) ?? 0n,
      locked_not_stakeable: maps.locked_not_stakeable.get(asset) ?? 0n,
      utxo_ids: utxoIds,
    }))
    return pageOf(rows)
  }
}

/** xvm.getBalance (specification 4.1) of an asset, by its id or an alias. */
export function decodeXBalance(question: BalanceQuestion, asset: string) {
  return (answer: unknown, context: ReadingContext): BalancePage => {
    const at = answerObject(answer, 'answer', context)
    const row = {
      ...assetRow(question, context, asset),
      ...onX,
      balance: whole(at, 'balance'),
      utxo_ids: utxoIdsOf(at),
    }
    finish(at)
    return pageOf([row])
  }
}

/** xvm.getAllBalances (specification 4.1): a row an asset, named by its alias where it has one. */
export function decodeXBalances(question: BalanceQuestion) {
  return (answer: unknown, context: ReadingContext): BalancePage => {
    const at = answerObject(answer, 'answer', context)
    const rows = objects(at, 'balances', (inner) => ({
      ...assetRow(question, context, text(inner, 'asset')),
      ...onX,
      balance: whole(inner, 'balance'),
      utxo_ids: null,
    }))
    finish(at)
    return pageOf(rows)
  }
}

const onX = { unlocked: null, locked_stakeable: null, locked_not_stakeable: null }

function pageOf(balances: NodeBalance[]): BalancePage {
  return { rows: { balances }, items: [], next: null }
}

function assetRow(question: BalanceQuestion, { observationId, observedAt }: ReadingContext, asset: string) {
  return {
    network: question.network,
    blockchain_id: question.blockchainId,
    address: question.address,
    asset_id: assetId(asset, question.nativeAssetId),
    subject: question.subject,
    observation_id: observationId,
    observed_at: observedAt,
    asset,
  }
}

/** The only alias that nodes of the primary network have is that of the native asset. */
export function assetId(asset: string, nativeAssetId: string | null): string {
  if (asset !== 'AVAX') return idText(decodeCb58(asset))
  if (nativeAssetId !== null) return nativeAssetId
  throw new DecodeError('Nobody said which asset AVAX is.', {
    hint: 'The node must tell its native asset: platform.getStakingAssetID.',
  })
}

/** Amounts by asset. */
function amounts(at: Reading, name: string): Map<string, bigint> {
  return object(at, name, (inner) => new Map(Object.keys(inner.object).map((asset) => [asset, whole(inner, asset)])))
}

/** Nodes write a list without items as null. */
function utxoIdsOf(at: Reading): string[] {
  const places = optionalObjects(at, 'utxoIDs', (inner) => ({
    txId: decodeCb58(text(inner, 'txID')),
    index: count(inner, 'outputIndex'),
  }))
  return (places ?? []).map(({ txId, index }, position) => {
    if (txId.length !== 32 || index > 0xffff_ffff) throw wrong(pathOf(at, `utxoIDs[${position}]`), 'is no UTXO', index)
    return idText(utxoId(txId, index))
  })
}
