import type { FxOrder } from '../../../codec/fxs.ts'
import { idText, utxoId } from '../../../codec/ids.ts'
import { decodeExactly, versioned } from '../../../codec/linear.ts'
import { pUtxo } from '../../../codec/p.ts'
import { type XState, xCodec } from '../../../codec/x.ts'
import type { nodeRewardUtxos, nodeUtxos } from '../../../schemas/node-state.ts'
import type { pStateOutputs } from '../../../schemas/p-chain.ts'
import type { xStateOutputs } from '../../../schemas/x-chain.ts'
import type { Page, ReadingContext, RowOf } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import {
  answerObject,
  count,
  finish,
  ignore,
  object,
  pathOf,
  type Reading,
  text,
  texts,
  wrong,
} from '../json/fields.ts'
import { addressTexts } from '../values.ts'
import { outputTypes } from '../x/rows.ts'
import { bytesOfHex } from './node.ts'

type NodeUtxo = RowOf<typeof nodeUtxos>

/** The request, as far as rows and the end of the list depend on it. */
export type UtxoQuestion = UtxoPlace & {
  readonly network: string
  readonly blockchainId: string
  /** Null for UTXOs that are not atomic. */
  readonly sourceChainId: string | null
  /** Value of the column `subject` in the table observations. */
  readonly subject: string
  /** The transactions with UTXOs that no container holds. */
  readonly stateTransactions: StateTransactions
}

type Rows = { utxos: NodeUtxo[]; pState: RowOf<typeof pStateOutputs>[]; xState: RowOf<typeof xStateOutputs>[] }

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
    // A node may have a lower limit than the request, so a short page need not be the last one. A page of atomic UTXOs begins with the last
    // UTXO of the page before it, and ends there if it has no other. Any other page that ends where it begins is that of another request.
    const isLast = utxos.length === 0 || end === token
    if (end === token && utxos.length > (question.sourceChainId === null ? 0 : 1))
      throw wrong(
        pathOf(at, 'endIndex'),
        `is that of the page before, although this one has ${utxos.length} UTXOs`,
        end,
      )
    return {
      rows: { utxos: utxos.map((utxo) => utxoRow(utxo, question, context)), ...stateRows(utxos, question) },
      // A UTXO of several addresses may appear on several pages. So keys name the end of their page, and not the UTXOs.
      items: isLast ? [] : utxos.map((_, position) => ({ key: `${end} ${position}`, time: null })),
      next: isLast ? null : end,
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
    const made = stateTransactions.get(utxo.tx_id)
    // A container holds any other UTXO, or will hold it.
    if (made === undefined || utxo.output_index < made.firstIndex) continue
    if (chain === 'P') rows.pState.push(pStateOutput(utxo, network, made))
    else rows.xState.push(xStateOutput(utxo, network, blockchainId, made))
  }
  return rows
}

/** Returns the end of the page, which is the token of the next one. */
function endIndex(at: Reading): string {
  return JSON.stringify(object(at, 'endIndex', (end) => ({ address: text(end, 'address'), utxo: text(end, 'utxo') })))
}

/** The bytes of a UTXO as columns, for all chains. */
export type Utxo = Omit<
  NodeUtxo,
  'network' | 'blockchain_id' | 'subject' | 'observation_id' | 'observed_at' | 'source_chain_id'
>

/** The chain of a UTXO, as far as the bytes depend on it. */
type UtxoPlace = {
  /** `X` for every chain of the asset VM. */
  readonly chain: 'P' | 'X' | 'C'
  /** Equal to `fxs` in the `ChainContext` of the chain. */
  readonly fxs: FxOrder | null
  readonly hrp: string
}

const pSchema = versioned(pUtxo)

/**
 * Reads a UTXO of getUTXOs or getRewardUTXOs: hex with a checksum (wire-format.md 1.5). The P-Chain has its own type ids of outputs. The
 * X-Chain and C-Chain share theirs; those of other chains of the asset VM follow from their feature extensions. Throws `DecodeError` with
 * `path`.
 */
function readUtxo(text: string, { chain, fxs, hrp }: UtxoPlace, path: string): Utxo {
  const bytes = bytesOfHex(text, path, 'hex')
  if (chain !== 'P') {
    const { output, ...place } = decodeExactly(xCodec(fxs).utxo, bytes, path)
    return utxoOf(place, output, null, hrp)
  }
  const { output, ...place } = decodeExactly(pSchema, bytes, path)
  if (output.type !== 'stakeable.LockOut') return utxoOf(place, output, null, hrp)
  return utxoOf(place, output.output, output.locktime, hrp)
}

type UtxoOrigin = { readonly txID: Uint8Array; readonly outputIndex: number; readonly assetID: Uint8Array }

function utxoOf(place: UtxoOrigin, state: XState, stakeableLocktime: bigint | null, hrp: string): Utxo {
  return {
    utxo_id: idText(utxoId(place.txID, place.outputIndex)),
    tx_id: idText(place.txID),
    output_index: place.outputIndex,
    output_type: outputTypes[state.type],
    asset_id: idText(place.assetID),
    amount: 'amount' in state ? state.amount : null,
    addresses: addressTexts(hrp, state.addresses),
    threshold: state.threshold,
    locktime: state.locktime,
    stakeable_locktime: stakeableLocktime,
    group_id: 'groupID' in state ? state.groupID : null,
    payload: 'payload' in state ? state.payload : null,
  }
}

/** Reads the UTXOs of an answer (specification 4.1). Throws `DecodeError` if `numFetched` is another number. */
function listedUtxos(at: Reading, place: UtxoPlace): Utxo[] {
  const list = texts(at, 'utxos')
  const stated = count(at, 'numFetched')
  if (stated !== list.length) throw wrong(pathOf(at, 'numFetched'), `counts other than ${list.length} UTXOs`, stated)
  ignore(at, 'encoding', 'sourceChain')
  return list.map((text, position) => readUtxo(text, place, `${pathOf(at, 'utxos')}[${position}]`))
}

/** A transaction with UTXOs in the state of the chain that no container holds: all from an index on. */
export type StateTransaction = {
  readonly origin: 'reward' | 'refund' | 'genesis'
  readonly firstIndex: number
  /** The staking transaction of a reward. */
  readonly stakedTxId: string | null
}

/** By transaction id. */
export type StateTransactions = ReadonlyMap<string, StateTransaction>

function pStateOutput(
  utxo: Utxo,
  network: string,
  { origin, stakedTxId }: Pick<StateTransaction, 'origin' | 'stakedTxId'>,
): RowOf<typeof pStateOutputs> {
  const { output_type, group_id, payload, amount, ...columns } = utxo
  if (amount === null)
    throw new DecodeError(`UTXO ${utxo.utxo_id} of the P chain has no amount.`, { details: { type: output_type } })
  return { network, ...columns, amount, origin, staked_tx_id: stakedTxId }
}

function xStateOutput(
  utxo: Utxo,
  network: string,
  blockchainId: string,
  { origin }: Pick<StateTransaction, 'origin'>,
): RowOf<typeof xStateOutputs> {
  const { stakeable_locktime, ...columns } = utxo
  return { network, blockchain_id: blockchainId, ...columns, origin }
}

type RewardQuestion = {
  readonly network: string
  readonly hrp: string
  readonly txId: string
  /** The staking transaction. It differs from `txId` only for the periods of an auto-renewed validator. */
  readonly stakedTxId: string
  /** Whether the node knows the block that decided the reward. If not, an empty answer may still change. */
  readonly isDecided: boolean
}

type RewardRows = { rewards: RowOf<typeof nodeRewardUtxos>[]; outputs: RowOf<typeof pStateOutputs>[] }

/**
 * Reads the UTXOs that pay the rewards of a staking transaction (platform.getRewardUTXOs), and adds a row that records the request, because
 * there may be no UTXOs. An empty answer that is not final, for example from a node that lags behind, gives no row. Throws `DecodeError`
 * for a UTXO of another transaction than the requested one.
 */
export function decodeRewardUtxos({ network, hrp, txId, stakedTxId, isDecided }: RewardQuestion) {
  return (answer: unknown, context: ReadingContext): Omit<Page, 'rows'> & { readonly rows: RewardRows } => {
    const at = answerObject(answer, 'answer', context)
    const utxos = listedUtxos(at, { chain: 'P', fxs: null, hrp })
    finish(at)
    utxos.forEach(({ tx_id }, position) => {
      if (tx_id !== txId) throw wrong(`utxos[${position}]`, `is none of transaction ${txId}`, tx_id)
    })
    const requested = {
      network,
      tx_id: txId,
      staked_tx_id: stakedTxId,
      utxo_ids: utxos.map(({ utxo_id }) => utxo_id),
      observed_at: context.observedAt,
    }
    const outputs = utxos.map((utxo) => pStateOutput(utxo, network, { origin: 'reward', stakedTxId }))
    const isFinal = isDecided || utxos.length > 0
    return { rows: { rewards: isFinal ? [requested] : [], outputs }, items: [], next: null }
  }
}
