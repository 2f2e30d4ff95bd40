import type { NodeUtxo } from '../../../schemas/node-utxos.ts'
import type { PStateOutput } from '../../../schemas/p-state-outputs.ts'
import type { XStateOutput } from '../../../schemas/x-state-outputs.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, object, type Reading, text } from '../json/fields.ts'
import { pStateOutput, type StateTransactions, stateTransactionOf, xStateOutput } from './state-outputs.ts'
import type { Utxo, UtxoPlace } from './utxo.ts'
import { listedUtxos } from './utxo-list.ts'

/** What was asked for, as far as rows and the end of the list depend on it. */
export type UtxoQuestion = UtxoPlace & {
  readonly network: string
  readonly blockchainId: string
  /** Null for the UTXOs of the chain itself. */
  readonly sourceChainId: string | null
  /** As the table observations names it. */
  readonly subject: string
  /** Most UTXOs of a page. */
  readonly limit: number
  /** How many addresses were asked for at once. */
  readonly addressCount: number
  /** Which transactions made UTXOs that no container holds. */
  readonly stateTransactions: StateTransactions
}

type Rows = { utxos: NodeUtxo[]; pState: PStateOutput[]; xState: XStateOutput[] }

/** A page of platform.getUTXOs, xvm.getUTXOs or cx.getUTXOs (specification 4.1, 4.2). Pages may repeat UTXOs. */
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
      // What several addresses own comes again on later pages: only a page that ends where another one did is the same page.
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

/** Where the page ends: what asks for the next one. */
function endIndex(at: Reading): string {
  return JSON.stringify(object(at, 'endIndex', (end) => ({ address: text(end, 'address'), utxo: text(end, 'utxo') })))
}

/**
 * A list ends with an empty page, or one that ends where it began: atomic pages begin with the UTXO that the one before ended with. Less
 * than was asked for is the end too, but for several addresses of a chain's own UTXOs, where nodes may leave out what they have shown.
 */
function isLast(fetched: number, end: string, token: string | null, question: UtxoQuestion): boolean {
  if (fetched === 0 || end === token) return true
  const shortIsEnd = question.sourceChainId !== null || question.addressCount === 1
  return shortIsEnd && fetched < question.limit
}
