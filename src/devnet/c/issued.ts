import { type AtomicTx, signedAtomicTx, type UnsignedAtomicTx } from '../../codec/c/atomic-transactions.ts'
import { sha256 } from '../../codec/hash.ts'
import { encodeNow } from '../network/encode.ts'
import { chainIds, nativeAsset } from '../network/genesis.ts'
import type { ChainAlias } from '../network/shared-memory.ts'
import type { Account, CState } from './state.ts'

/** Enters an atomic transaction that did not come from here: who goes on must know what it has taken and given. */
export function enterIssued(state: CState, tx: AtomicTx): void {
  const { unsignedTx } = tx
  if (unsignedTx.type === 'ImportTx') enterImport(state, unsignedTx)
  else enterExport(state, unsignedTx, sha256(encodeNow(signedAtomicTx, tx)))
}

type Import = Extract<UnsignedAtomicTx, { type: 'ImportTx' }>
type Export = Extract<UnsignedAtomicTx, { type: 'ExportTx' }>

function enterImport(state: CState, { sourceChain, importedInputs, outputs }: Import): void {
  const source = aliasOf(sourceChain)
  for (const { txID, outputIndex } of importedInputs) state.network.memory.remove(source, 'C', txID, outputIndex)
  for (const { address, amount, assetID } of outputs) {
    const account = accountOf(state, address)
    if (account === undefined) continue
    if (isNative(assetID)) account.balance += amount
    else account.assets.push({ asset: assetID, amount })
  }
}

/** What goes to a holder of the network waits for him in the shared memory; what goes to others waits for nobody here. */
function enterExport(state: CState, { destinationChain, inputs, exportedOutputs }: Export, txId: Uint8Array): void {
  for (const { address, amount, assetID, nonce } of inputs) {
    const account = accountOf(state, address)
    if (account === undefined) continue
    account.nonce = Number(nonce) + 1
    if (isNative(assetID)) account.balance -= amount
  }
  exportedOutputs.forEach(({ assetID, output: { amount, threshold, addresses, locktime } }, index) => {
    const holder = state.network.holders.find((each) => {
      return each.threshold === threshold && Buffer.concat([...each.addresses]).equals(Buffer.concat([...addresses]))
    })
    if (holder === undefined || locktime !== 0n) return
    const asset = isNative(assetID) ? nativeAsset : assetID
    state.network.memory.put('C', aliasOf(destinationChain), { txId, index, asset, amount, holder })
  })
}

function accountOf({ accounts }: CState, address: Uint8Array): Account | undefined {
  return accounts.find((account) => Buffer.compare(account.address, address) === 0)
}

function isNative(asset: Uint8Array): boolean {
  return Buffer.compare(asset, nativeAsset) === 0
}

function aliasOf(chainId: Uint8Array): ChainAlias {
  return Buffer.compare(chainId, chainIds.P) === 0 ? 'P' : 'X'
}
