import { type AtomicTx, signedAtomicTx, type UnsignedAtomicTx } from '../../codec/c.ts'
import { sha256 } from '../../codec/hash.ts'
import { encodeNow } from '../network/encode.ts'
import { chainIds, nativeAsset } from '../network/genesis.ts'
import type { ChainAlias } from '../network/shared-memory.ts'
import type { Account, CState } from './state.ts'

/** Applies an atomic transaction that a client issued, so that later transactions take into account what it spent and created. */
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

/** Exports to holders of the network enter shared memory. Exports to other addresses are ignored. */
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
