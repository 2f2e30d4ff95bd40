import type { NodeUtxo } from '../../../schemas/node-utxos.ts'
import type { PStateOutput } from '../../../schemas/p-state-outputs.ts'
import type { XStateOutput } from '../../../schemas/x-state-outputs.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, object, type Reading } from '../json/fields.ts'
import { text } from '../json/value-fields.ts'
import { pStateOutput, type StateTransactions, stateTransactionOf, xStateOutput } from './state-outputs.ts'
import type { Utxo, UtxoPlace } from './utxo.ts'
import { listedUtxos } from './utxo-list.ts'

/** The request, as far as rows and the end of the list depend on it. */
export type UtxoQuestion = UtxoPlace & {
  readonly network: string
  readonly blockchainId: string
  /** Null for UTXOs that are not atomic. */
  readonly sourceChainId: string | null
  /** Value of the column `subject` in the table observations. */
  readonly subject: string
  /** The highest number of UTXOs on a page. */
  readonly limit: number
  /** The number of addresses in one request. */
  readonly addressCount: number
  /** The transactions with UTXOs that no container holds. */
  readonly stateTransactions: StateTransactions
}

type Rows = { utxos: NodeUtxo[]; pState: PStateOutput[]; xState: XStateOutput[] }

/** Reads a page of platform.getUTXOs, xvm.getUTXOs or cx.getUTXOs (specification 4.1, 4.2). Pages may repeat UTXOs. */
export function decodeUtxoPage(question: UtxoQuestion) {
  return (
    answer: unknown,
    context: ReadingContext,
    token: string | null = null,
  ): Omit<Page, 'rows'> & { readonly rows: Rows } => {
    const at = answerObject(answer, 'answer', context)
    const utxos = listedUtxos(at, question)
    const end = endIndex(at)
    finish(at)
    return {
      rows: { utxos: utxos.map((utxo) => utxoRow(utxo, question, context)), ...stateRows(utxos, question) },
      // A UTXO of several addresses may appear on several pages. So the key of a page is its end, not its UTXOs.
      items: utxos.length === 0 ? [] : [{ key: end, time: null }],
      next: isLast(utxos.length, end, token, question) ? null : end,
    }
  }
}

function utxoRow(utxo: Utxo, question: UtxoQuestion, context: ReadingContext): NodeUtxo {
  return {
    network: question.network,
    blockchain_id: question.blockchainId,
    subject: question.subject,
    observation_id: context.observationId,
    observed_at: context.observedAt,
    source_chain_id: question.sourceChainId,
    ...utxo,
  }
}

function stateRows(utxos: readonly Utxo[], question: UtxoQuestion): Omit<Rows, 'utxos'> {
  const { network, chain, blockchainId, sourceChainId, stateTransactions } = question
  const rows: Omit<Rows, 'utxos'> = { pState: [], xState: [] }
  if (sourceChainId !== null) return rows
  for (const utxo of utxos) {
    const made = stateTransactionOf(utxo, stateTransactions)
    if (made === null) continue
    if (chain === 'P') rows.pState.push(pStateOutput(utxo, network, made))
    else rows.xState.push(xStateOutput(utxo, network, blockchainId, made))
  }
  return rows
}

/** Returns the end of the page, which is the token of the next one. */
function endIndex(at: Reading): string {
  return JSON.stringify(object(at, 'endIndex', (end) => ({ address: text(end, 'address'), utxo: text(end, 'utxo') })))
}

/**
 * Returns whether a page is the last one. It is, if it is empty or ends where the previous page ended: a page of atomic UTXOs begins with
 * the last UTXO of the previous page. A page below the limit is also the last one, except for several addresses and UTXOs that are not
 * atomic: there, nodes may leave out UTXOs of earlier pages.
 */
function isLast(fetched: number, end: string, token: string | null, question: UtxoQuestion): boolean {
  if (fetched === 0 || end === token) return true
  const shortIsEnd = question.sourceChainId !== null || question.addressCount === 1
  return shortIsEnd && fetched < question.limit
}
