import { decodeCb58, idText } from '../../../codec/cb58.ts'
import { utxoId } from '../../../codec/ids.ts'
import type { NodeBalance } from '../../../schemas/node-balances.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import {
  answerObject,
  finish,
  ignore,
  object,
  objects,
  optionalObjects,
  pathOf,
  type Reading,
  wrong,
} from '../json/fields.ts'
import { itemsByKey } from '../json/items-by-key.ts'
import { id, text, u32, u64 } from '../json/value-fields.ts'

export type BalanceQuestion = {
  readonly network: string
  readonly blockchainId: string
  /** The address of the row. For a request with several addresses, all of them joined with commas; tables hold no such row. */
  readonly address: string
  /** Value of the column `subject` in the table observations. */
  readonly subject: string
  /** The asset id of the alias AVAX; null if it is unknown, or the chain is another instance of the asset VM. */
  readonly nativeAssetId: string | null
}

type BalancePage = Omit<Page, 'rows'> & { readonly rows: { balances: NodeBalance[] } }

/** Reads platform.getBalance (specification 4.3): one row per asset, amounts in the least unit of the asset. */
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
    // Sums of the native asset in nAVAX. The maps hold them, too.
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

/** A balance of an asset that the node names by an alias from the genesis of its chain. */
type AliasedBalance = Omit<NodeBalance, 'asset_id'>

/** The rows of an answer, and the balances without asset id by alias. xvm.getAssetDescription gives the asset ids of aliases. */
export type XBalances = Pick<BalancePage, 'rows'> & { readonly items: ReadonlyMap<string, AliasedBalance> }

/** Reads xvm.getBalance (specification 4.1) of an asset, requested by its id or an alias. */
export function decodeXBalance(question: BalanceQuestion, asset: string) {
  return (answer: unknown, context: ReadingContext): XBalances => {
    const at = answerObject(answer, 'answer', context)
    const row = {
      ...cellsOf(question, context, asset),
      ...onX,
      balance: u64(at, 'balance'),
      utxo_ids: utxoIdsOf(at),
    }
    finish(at)
    return byAlias([row], question)
  }
}

/** Reads xvm.getAllBalances (specification 4.1): one balance per asset. The node names an asset by its alias if it has one. */
export function decodeXBalances(question: BalanceQuestion) {
  return (answer: unknown, context: ReadingContext): XBalances => {
    const at = answerObject(answer, 'answer', context)
    const rows = objects(at, 'balances', (inner) => ({
      ...cellsOf(question, context, text(inner, 'asset')),
      ...onX,
      balance: u64(inner, 'balance'),
      utxo_ids: null,
    }))
    finish(at)
    return byAlias(rows, question)
  }
}

/** Returns the row of a balance with the asset id that xvm.getAssetDescription states for its alias. */
export function decodeAliasedBalance(
  answer: unknown,
  context: ReadingContext,
  balance: AliasedBalance,
): BalancePage['rows'] {
  const at = answerObject(answer, 'answer', context)
  const asset_id = idText(decodeCb58(text(at, 'assetID', 'assetId')))
  ignore(at, 'name', 'symbol', 'denomination')
  finish(at)
  return { balances: [{ ...balance, asset_id }] }
}

function byAlias(all: readonly AliasedBalance[], { nativeAssetId }: BalanceQuestion): XBalances {
  const balances: NodeBalance[] = []
  const aliased: AliasedBalance[] = []
  for (const balance of all) {
    const asset_id = knownAssetId(balance.asset, nativeAssetId)
    if (asset_id === null) aliased.push(balance)
    else balances.push({ ...balance, asset_id })
  }
  return { rows: { balances }, items: itemsByKey(aliased, 'asset') }
}

/** Returns the asset id, or null for an alias. Throws `DecodeError` for a damaged id, which cannot be an alias. */
function knownAssetId(asset: string, nativeAssetId: string | null): string | null {
  if (asset === 'AVAX') return nativeAssetId
  return /^[1-9A-HJ-NP-Za-km-z]{30,60}$/.test(asset) ? assetId(asset, nativeAssetId) : null
}

const onX = { unlocked: null, locked_stakeable: null, locked_not_stakeable: null }

function pageOf(balances: NodeBalance[]): BalancePage {
  return { rows: { balances }, items: [], next: null }
}

function assetRow(question: BalanceQuestion, context: ReadingContext, asset: string) {
  return { ...cellsOf(question, context, asset), asset_id: assetId(asset, question.nativeAssetId) }
}

function cellsOf(question: BalanceQuestion, { observationId, observedAt }: ReadingContext, asset: string) {
  return {
    network: question.network,
    blockchain_id: question.blockchainId,
    address: question.address,
    subject: question.subject,
    observation_id: observationId,
    observed_at: observedAt,
    asset,
  }
}

/** Returns the id of an asset. On the primary network, only the native asset has an alias. */
export function assetId(asset: string, nativeAssetId: string | null): string {
  if (asset !== 'AVAX') return idText(decodeCb58(asset))
  if (nativeAssetId !== null) return nativeAssetId
  throw new DecodeError('The asset id of AVAX is unknown.', {
    hint: 'The node must report its native asset: platform.getStakingAssetID.',
  })
}

/** Amounts by asset, in the least unit of the asset. */
function amounts(at: Reading, name: string): Map<string, bigint> {
  return object(at, name, (inner) => new Map(Object.keys(inner.object).map((asset) => [asset, u64(inner, asset)])))
}

/** Nodes write an empty list as null. */
function utxoIdsOf(at: Reading): string[] {
  const places = optionalObjects(at, 'utxoIDs', (inner) => ({
    txId: decodeCb58(id(inner, 'txID')),
    index: u32(inner, 'outputIndex'),
  }))
  return (places ?? []).map(({ txId, index }, position) => {
    if (txId.length !== 32) throw wrong(pathOf(at, `utxoIDs[${position}]`), 'is no UTXO', index)
    return idText(utxoId(txId, index))
  })
}
