import { type AtomicTx, signedAtomicTx, type UnsignedAtomicTx } from '../../codec/c.ts'
import { sha256 } from '../../codec/hash.ts'
import { encodeNow } from '../network/container.ts'
import { chainIds, nativeAsset, networkId, since } from '../network/genesis.ts'
import type { ChainAlias, Exported } from '../network/state.ts'
import { compareCoins, feeOf, ownerFields, plainInputOf, signaturesOf, someAmount } from '../network/wallets.ts'
import { type Account, type CState, someAccount, someHolder } from './state.ts'

const head = { networkID: networkId, blockchainID: chainIds.C }

/** An import from another chain or an export to one; null if there is nothing to import or no wallet can pay. */
export function someAtomicTx(state: CState): AtomicTx | null {
  const { random } = state.network
  const other = random.oneIn(3) ? 'X' : 'P'
  if (random.oneIn(2)) return importTx(state, other)
  const back = since(state.network.era, 'banff') ? undefined : state.accounts.find(({ assets }) => assets.length > 0)
  return back !== undefined && random.oneIn(3) ? assetExportTx(state, back) : exportTx(state, other)
}

/** Imports outputs that wait for one holder. Since Banff only the native asset may be imported. */
function importTx(state: CState, source: 'P' | 'X'): AtomicTx | null {
  const { memory, random, holders, era } = state.network
  const onlyNative = since(era, 'banff')
  const imported = memory.take(source, 'C', {
    first: random.below(holders.length),
    most: random.between(1, 5),
    suits: ({ asset }) => !onlyNative || asset === nativeAsset,
  })
  if (imported.length === 0) return null
  imported.sort(compareCoins)
  const account = random.pick(state.accounts)
  const amounts = brought(state, imported)
  for (const { asset, amount } of amounts) {
    if (asset === nativeAsset) account.balance += amount
    else account.assets.push({ asset, amount })
  }
  const unsignedTx: UnsignedAtomicTx = {
    type: 'ImportTx',
    ...head,
    sourceChain: chainIds[source],
    importedInputs: imported.map((exported) => plainInputOf({ ...exported, wallet: exported.holder })),
    outputs: amounts.map(({ asset, amount }) => ({ address: account.address, amount, assetID: asset })),
  }
  return signed(
    state,
    unsignedTx,
    imported.map(({ holder }) => holder),
  )
}

type Amount = { readonly asset: Uint8Array; readonly amount: bigint }

/** The imported amount of each asset. The fee is subtracted from the native asset; an import without it pays no fee. */
function brought({ network }: CState, imported: readonly Exported[]): Amount[] {
  const amounts: { asset: Uint8Array; amount: bigint }[] = []
  for (const { asset, amount } of imported) {
    const known = amounts.find((other) => Buffer.compare(other.asset, asset) === 0)
    if (known === undefined) amounts.push({ asset, amount })
    else known.amount += amount
  }
  const fee = feeOf(network)
  for (const each of amounts) if (each.asset === nativeAsset) each.amount -= fee
  return amounts.sort((a, b) => Buffer.compare(a.asset, b.asset))
}

function exportTx(state: CState, destination: 'P' | 'X'): AtomicTx | null {
  const amount = someAmount(state.network)
  const spent = amount + feeOf(state.network)
  const account = someAccount(state, spent)
  if (account === null) return null
  account.balance -= spent
  return exporting(state, account, destination, { asset: nativeAsset, amount }, [{ asset: nativeAsset, amount: spent }])
}

/** Exports an asset of the X-Chain back to the X-Chain. */
function assetExportTx(state: CState, account: Account): AtomicTx | null {
  const fee = feeOf(state.network)
  const asset = account.assets.pop()
  if (asset === undefined || account.balance < fee) return null
  account.balance -= fee
  return exporting(state, account, 'X', asset, [{ asset: nativeAsset, amount: fee }, asset])
}

function exporting(
  state: CState,
  account: Account,
  destination: 'P' | 'X',
  { asset, amount }: Amount,
  spent: readonly Amount[],
): AtomicTx {
  const holder = someHolder(state.network)
  const output = { type: 'secp256k1fx.TransferOutput' as const, amount, ...ownerFields(holder) }
  const { address, nonce } = account
  account.nonce += 1
  const inputs = spent
    .toSorted((a, b) => Buffer.compare(a.asset, b.asset))
    .map((each) => ({ address, amount: each.amount, assetID: each.asset, nonce: BigInt(nonce) }))
  const unsignedTx: UnsignedAtomicTx = {
    type: 'ExportTx',
    ...head,
    destinationChain: chainIds[destination],
    inputs,
    exportedOutputs: [{ assetID: asset, output }],
  }
  const tx = signed(
    state,
    unsignedTx,
    inputs.map(() => ({ position: 0, threshold: 1, addresses: [address] })),
  )
  const txId = sha256(encodeNow(signedAtomicTx, tx))
  state.network.memory.put('C', destination, { txId, index: 0, asset, amount, holder })
  return tx
}

function signed({ network }: CState, unsignedTx: UnsignedAtomicTx, signers: readonly Exported['holder'][]): AtomicTx {
  const credentials = signers.map((signer) => {
    return { type: 'secp256k1fx.Credential' as const, signatures: signaturesOf(network, signer) }
  })
  return { unsignedTx, credentials }
}

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
