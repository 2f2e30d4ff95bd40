import { type AtomicTx, cBlock, decodeExtData, signedAtomicTx, type UnsignedAtomicTx } from '../../codec/c.ts'
import { unwrap } from '../../codec/containers.ts'
import { DecodeError } from '../../codec/errors.ts'
import { sha256 } from '../../codec/hash.ts'
import { idText } from '../../codec/ids.ts'
import { decodeExactly } from '../../codec/linear.ts'
import { weiPerUnit } from '../c/state.ts'
import type { GrowingNetwork } from '../chains/growing-network.ts'
import {
  bytesOnly,
  decodedBytes,
  encodedBytes,
  encodingOf,
  MethodError,
  type RpcMethod,
  textOf,
} from '../http/json-rpc.ts'
import { createFollower } from '../index/follow.ts'
import { type ContainerStore, containerBytes } from '../index/store.ts'
import { hex0x } from '../lib.ts'
import { encodeNow } from '../network/container.ts'
import { chainIds, nativeAssetText, networkId } from '../network/genesis.ts'
import type { ChainAlias } from '../network/state.ts'
import type { EvmLedger, EvmState } from '../service/evm/state.ts'
import { isUnspent } from '../service/primary/ledger/book.ts'
import type { PrimaryLedger, PrimaryState } from '../service/primary/ledger/ledger.ts'
import { givenId } from './transactions.ts'
import { utxoMethods } from './utxos.ts'

type CxFacts = {
  readonly store: ContainerStore
  readonly primary: PrimaryLedger
  readonly evm: EvmLedger
  readonly mempool: Pick<GrowingNetwork, 'issue' | 'pending'>
}

/** The atomic methods of the C-Chain (specification 4.2), without the name of their service. */
export function cxMethods({ store, primary, evm, mempool }: CxFacts): Readonly<Record<string, RpcMethod>> {
  const accepted = acceptedAtomicTxs(store)
  const waiting = (id: string): Uint8Array | null => mempool.pending().find((tx) => idText(sha256(tx)) === id) ?? null
  return {
    ...utxoMethods(primary, 'C'),
    getAtomicTx: async (parameters) => {
      const id = givenId(parameters)
      const encoding = bytesOnly(encodingOf(parameters))
      const found = await accepted(id)
      const bytes = found?.bytes ?? waiting(id)
      if (bytes === null) throw new MethodError(`could not find tx ${id}`)
      const height = found === null ? '' : `,"blockHeight":"${found.height}"`
      return [`{"tx":"${encodedBytes(bytes, encoding)}","encoding":"${encoding}"${height}}`]
    },
    getAtomicTxStatus: async (parameters) => {
      const id = givenId(parameters)
      const found = await accepted(id)
      if (found !== null) return [`{"status":"Accepted","blockHeight":"${found.height}"}`]
      return [`{"status":"${waiting(id) === null ? 'Unknown' : 'Processing'}"}`]
    },
    issueTx: async (parameters) => {
      const bytes = decodedBytes(textOf(parameters, 'tx'), encodingOf(parameters))
      if ('mistake' in bytes) throw new MethodError(`problem decoding transaction: ${bytes.mistake}`)
      const tx = readTx(bytes.bytes)
      const id = idText(sha256(bytes.bytes))
      if (waiting(id) !== null) throw new MethodError(`tx ${id} already known`)
      const pending = mempool.pending().map(readTx)
      const mistake = mistakeOf(tx, { primary: await primary.state(), evm: await evm.atHead(), pending })
      if (mistake !== null) throw new MethodError(mistake)
      mempool.issue(bytes.bytes)
      return [`{"txID":"${id}"}`]
    },
  }
}

function readTx(bytes: Uint8Array): AtomicTx {
  try {
    return decodeExactly(signedAtomicTx, bytes, 'transaction')
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MethodError(`problem parsing transaction: ${error.message}`)
  }
}

/** An accepted atomic transaction: its bytes without the block, and the height of its block. */
type AcceptedAtomicTx = { readonly bytes: Uint8Array; readonly height: number }

/** Finds atomic transactions of the C-Chain by id; null if none with this id has been accepted. */
function acceptedAtomicTxs(store: ContainerStore): (id: string) => Promise<AcceptedAtomicTx | null> {
  const heights = createFollower(store, new Map<string, number>(), (known, { bytes, index }) => {
    for (const id of txsIn(bytes, index).keys()) known.set(id, index + 1)
  })
  return async (id) => {
    const height = (await heights()).get(id)
    if (height === undefined) return null
    return { height, bytes: txsIn(await containerBytes(store, height - 1), height - 1).get(id)! }
  }
}

function txsIn(container: Uint8Array, index: number): ReadonlyMap<string, Uint8Array> {
  const { extData } = decodeExactly(cBlock, unwrap(container).block, `C ${index}`)
  const { txs, txIds } = decodeExtData(extData, `C ${index}`)
  return new Map(txs.map((tx, at) => [idText(txIds[at]!), encodeNow(signedAtomicTx, tx)]))
}

/** What a transaction is checked against: the chains at their head, and the issued transactions that no block includes yet. */
type Surroundings = {
  readonly primary: PrimaryState
  readonly evm: EvmState
  readonly pending: readonly AtomicTx[]
}

/**
 * Why the C-Chain rejects an atomic transaction; null if it accepts it. Signatures are counted but not verified, as everywhere in the
 * simulated network.
 */
function mistakeOf({ unsignedTx: tx, credentials }: AtomicTx, surroundings: Surroundings): string | null {
  if (tx.networkID !== networkId) return 'tx has wrong network ID'
  if (Buffer.compare(tx.blockchainID, chainIds.C) !== 0) return 'tx has wrong chain ID'
  const inputs = tx.type === 'ImportTx' ? tx.importedInputs : tx.inputs
  if (inputs.length === 0) return tx.type === 'ImportTx' ? 'tx has no imported inputs' : 'tx has no inputs'
  if (credentials.length !== inputs.length)
    return `tx contained mismatched number of inputs/credentials (${inputs.length} vs. ${credentials.length})`
  return tx.type === 'ImportTx' ? importMistake(tx, surroundings) : exportMistake(tx, surroundings)
}

type Import = Extract<UnsignedAtomicTx, { type: 'ImportTx' }>
type Export = Extract<UnsignedAtomicTx, { type: 'ExportTx' }>

function importMistake(tx: Import, { primary, pending }: Surroundings): string | null {
  const source = partner(tx.sourceChain)
  if (source === null) return 'invalid chain ID for atomic UTXOs'
  const taken = new Set(pending.flatMap(({ unsignedTx }) => (unsignedTx.type === 'ImportTx' ? keysOf(unsignedTx) : [])))
  const keys = keysOf(tx)
  if (new Set(keys).size < keys.length) return 'inputs are not sorted and unique'
  if (keys.some((key) => taken.has(key))) return 'tx conflicts with another issued tx'
  for (const { txID, outputIndex, assetID, input } of tx.importedInputs) {
    const utxo = primary.book.find(idText(txID), outputIndex)
    if (utxo === null || !isUnspent(utxo, source, 'C'))
      return `failed to fetch import UTXOs from ${idText(tx.sourceChain)}: not found`
    if (utxo.asset !== idText(assetID) || utxo.amount !== input.amount) return 'input does not match its UTXO'
  }
  const spent = tx.importedInputs.map(({ assetID, input }) => ({ assetID, amount: input.amount }))
  return flowMistake(spent, tx.outputs)
}

function exportMistake(tx: Export, { evm, pending }: Surroundings): string | null {
  if (partner(tx.destinationChain) === null) return 'invalid chain ID for atomic UTXOs'
  const head = evm.blocks.length
  const busy = new Set(
    pending.flatMap(({ unsignedTx }) => (unsignedTx.type === 'ExportTx' ? unsignedTx.inputs.map(senderOf) : [])),
  )
  for (const input of tx.inputs) {
    const sender = senderOf(input)
    if (busy.has(sender)) return 'tx conflicts with another issued tx'
    if (input.nonce !== evm.nonce(sender, head)) return 'invalid nonce'
    const isNative = idText(input.assetID) === nativeAssetText
    if (!isNative || evm.nativeBalance(sender, head) < input.amount * weiPerUnit) return 'insufficient funds'
  }
  const made = tx.exportedOutputs.map(({ assetID, output }) => ({ assetID, amount: output.amount }))
  return flowMistake(tx.inputs, made)
}

type Moved = { readonly assetID: Uint8Array; readonly amount: bigint }

/** The outputs must not exceed the inputs. Of the native asset, a part must remain as the fee. */
function flowMistake(spent: readonly Moved[], made: readonly Moved[]): string | null {
  const left = new Map<string, bigint>()
  for (const { assetID, amount } of spent) left.set(idText(assetID), (left.get(idText(assetID)) ?? 0n) + amount)
  for (const { assetID, amount } of made) left.set(idText(assetID), (left.get(idText(assetID)) ?? 0n) - amount)
  const fee = left.get(nativeAssetText) ?? 0n
  return fee <= 0n || [...left.values()].some((amount) => amount < 0n) ? 'tx has insufficient funds' : null
}

function keysOf({ importedInputs }: Import): string[] {
  return importedInputs.map(({ txID, outputIndex }) => `${idText(txID)}:${outputIndex}`)
}

function senderOf({ address }: { readonly address: Uint8Array }): string {
  return hex0x(address)
}

/** The chain with this id if the C-Chain shares memory with it, otherwise null. */
function partner(chainId: Uint8Array): ChainAlias | null {
  if (Buffer.compare(chainId, chainIds.P) === 0) return 'P'
  return Buffer.compare(chainId, chainIds.X) === 0 ? 'X' : null
}
