import type { AtomicTx, UnsignedAtomicTx } from '../../../codec/c.ts'
import { idText } from '../../../codec/ids.ts'
import { weiPerUnit } from '../../c/state.ts'
import { chainIds, nativeAssetText, networkId } from '../../network/genesis.ts'
import type { ChainAlias } from '../../network/shared-memory.ts'
import type { EvmState } from '../../service/evm/state.ts'
import type { PrimaryState } from '../../service/primary/ledger/ledger.ts'
import { isUnspent } from '../../service/primary/unspent.ts'

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
export function mistakeOf({ unsignedTx: tx, credentials }: AtomicTx, surroundings: Surroundings): string | null {
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
  return `0x${Buffer.from(address).toString('hex')}`
}

/** The chain with this id if the C-Chain shares memory with it, otherwise null. */
function partner(chainId: Uint8Array): ChainAlias | null {
  if (Buffer.compare(chainId, chainIds.P) === 0) return 'P'
  return Buffer.compare(chainId, chainIds.X) === 0 ? 'X' : null
}
