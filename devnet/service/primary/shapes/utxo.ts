import type { Dialect } from '../../../index/methods.ts'
import { chainTexts } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Asset, Utxo, UtxoOwner } from '../ledger/model.ts'
import { type Assets, assetAmount } from './assets.ts'

/** Returns the JSON text of a UTXO. UTXOs are by far the most frequent items, so their texts are composed of cached pieces. */
type UtxoText = (utxo: Utxo) => string

/**
 * Creates the texts of UTXOs in the responses for a chain. In the specification, the UTXOs of all chains have the same fields, except that
 * stakes exist only on the P-Chain (2.2). The real service has a different shape for the X-Chain and the C-Chain (real-service.md, b).
 */
export function createUtxoTexts(assets: Assets, chain: ChainAlias, dialect: Dialect): UtxoText {
  const common = createCommonTexts(assets)
  if (chain === 'P') return (utxo) => `{${common(utxo)}${specFields(utxo)}${stakeFields(utxo)}}`
  if (dialect === 'spec') return (utxo) => `{${common(utxo)}${specFields(utxo)}}`
  return (utxo) => `{${common(utxo)}${xFields(utxo)}}`
}

/** Lists of UTXOs do not mark rewards; the UTXOs of transactions do (real-service.md, d 6). */
export function inTransaction(text: UtxoText): UtxoText {
  return (utxo) => (utxo.rewardType === null ? text(utxo) : withField(text(utxo), 'rewardType', utxo.rewardType))
}

/** The text of an object with an additional field. */
export function withField(text: string, name: string, value: string): string {
  return `${text.slice(0, -1)},"${name}":${JSON.stringify(value)}}`
}

/** The fields that both shapes share. There are few owners, and each is a shared object. */
function createCommonTexts(assets: Assets): UtxoText {
  const owners = new Map<UtxoOwner, string>()
  const assetHeads = { secp256k1: new Map<string, string>(), nft: new Map<string, string>() }
  const ownerOf = (owner: UtxoOwner): string => {
    const known = owners.get(owner)
    if (known !== undefined) return known
    const { addresses, threshold } = owner
    const text = `"addresses":${JSON.stringify(addresses)},"threshold":${threshold}`
    owners.set(owner, text)
    return text
  }
  const assetOf = (asset: string, type: Asset['type']): string => {
    const known = assetHeads[type].get(asset)
    if (known !== undefined) return known
    const text = JSON.stringify(assetAmount(assets, { asset, amount: 0n }, type)).slice(0, -'"0"}'.length)
    assetHeads[type].set(asset, text)
    return text
  }
  return (utxo) => {
    const asset = assetOf(utxo.asset, utxo.kind.startsWith('nft') ? 'nft' : 'secp256k1')
    const chains = `"createdOnChainId":"${chainTexts[utxo.createdOn]}","consumedOnChainId":"${chainTexts[utxo.livesOn]}"`
    return `${ownerOf(utxo.owner)},"asset":${asset}"${utxo.amount}"},"utxoId":"${utxo.id}",${chains}`
  }
}

function specFields(utxo: Utxo): string {
  const { consumption, created, owner, stakeableLocktime: locktime } = utxo
  const plain = locktime === null
  const type = plain ? utxo.kind.toUpperCase() : 'STAKE'
  const origin = `,"txHash":"${utxo.txId}","outputIndex":${utxo.index},"amount":"${utxo.amount}","assetId":"${utxo.asset}"`
  const place = `,"utxoType":"${type}","blockNumber":"${created.height}","blockTimestamp":${created.time}`
  const platformLocktime = utxo.createdOn === utxo.livesOn ? `,"platformLocktime":${owner.locktime}` : ''
  const fields = `${origin}${place}${platformLocktime}${plain ? '' : `,"stakeableLocktime":${locktime}`}`
  if (consumption === null) return fields
  const { txId, place: block } = consumption.tx
  return `${fields},"consumingTxHash":"${txId}","consumingBlockNumber":"${block.height}","consumingBlockTimestamp":${block.time}`
}

/** Whether a stake holds the UTXO, and since when. The times remain after the end of the stake. */
function stakeFields({ stake }: Utxo): string {
  if (stake === null) return ',"staked":false'
  const times = `"utxoStartTimestamp":${stake.tx.place.time},"utxoEndTimestamp":${stake.end}`
  return `,"staked":${stake.ended === null},${times}`
}

function xFields(utxo: Utxo): string {
  const { consumption, groupId, payload, created, owner } = utxo
  const origin = `,"creationTxHash":"${utxo.txId}","outputIndex":"${utxo.index}","utxoType":"${utxo.kind}"`
  const nft = `${groupId === null ? '' : `,"groupId":${groupId}`}${payload === null ? '' : `,"payload":"0x${payload}"`}`
  const fields = `${origin},"timestamp":${created.time},"locktime":${owner.locktime}${nft}`
  if (consumption === null) return fields
  const { tx, signatures } = consumption
  const credentials = signatures.map((signature) => `{"signature":"${signature}"}`).join()
  return `${fields},"consumingTxHash":"${tx.txId}","consumingTxTimestamp":${tx.place.time},"credentials":[${credentials}]`
}
