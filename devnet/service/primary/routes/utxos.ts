import { addressBytes, decodeCb58 } from '../../../../codec/ids.ts'
import { encode, versioned } from '../../../../codec/linear.ts'
import { pUtxo } from '../../../../codec/p.ts'
import { type XCodec, type XState, xCodec } from '../../../../codec/x.ts'
import { encodedBytes } from '../../../http/json-rpc.ts'
import type { Dialect } from '../../../index/methods.ts'
import { remembered } from '../../../lib.ts'
import { chainTexts } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/state.ts'
import { ServiceError } from '../../plumbing/error.ts'
import type { ListAnswer } from '../../plumbing/pages.ts'
import { listRoute, type ServiceRoute, type ServiceSettings, totalsOf } from '../../plumbing/route.ts'
import {
  amount,
  boolean,
  type CheckedValues,
  choice,
  commaList,
  idForm,
  listOf,
  matching,
  text,
} from '../../plumbing/rules.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { Asset, Utxo, UtxoOwner } from '../ledger/model.ts'
import { type Assets, assetAmount } from './assets.ts'
import {
  chainInfo,
  createListMemory,
  type ListMemory,
  mostAddresses,
  mostPostedAddresses,
  primaryAddress,
  sortOrders,
  textsInOrder,
} from './lists.ts'

const path = '/v1/networks/{network}/blockchains/{blockchainId}/utxos'

const filters = {
  assetId: text(matching(idForm, 'must be the id of an asset')),
  minUtxoAmount: amount(),
  includeSpent: boolean(),
  sortBy: choice(['timestamp', 'amount']),
  sortOrder: choice(sortOrders),
}
type Filters = CheckedValues<typeof filters>

type Wanted = {
  readonly chain: ChainAlias
  readonly network: string
  /** Undefined: all addresses. */
  readonly addresses: readonly string[] | undefined
  readonly filters: Filters
  readonly settings: ServiceSettings
}

/** UTXOs that were created on a chain or can be spent there, by GET and by POST (specification 4.2). */
export function utxoRoutes(ledger: PrimaryLedger): ServiceRoute[] {
  const memory = createListMemory<Utxo>()
  return [
    listRoute({
      path,
      parameters: { addresses: commaList(primaryAddress, mostAddresses), ...filters },
      pageSize: { default: 10, most: 100 },
      cost: 'xl',
      // Spent ones, too, of all addresses: the chain where it was created lists a UTXO, and the chain where it can be spent.
      totals: async () => {
        const { utxos } = (await ledger.state()).book
        const listed = [...utxos].flatMap((utxo) => (utxo.createdOn === utxo.livesOn ? [utxo] : [utxo, utxo]))
        return { rest_utxos: totalsOf(listed, { amount: ({ amount }) => amount }) }
      },
      handle: async ({ parts, query: { addresses, ...rest }, settings }) => {
        const wanted = { chain: parts.blockchainId, network: parts.network, addresses, filters: rest, settings }
        return answerOf(await ledger.state(), memory, wanted)
      },
    }),
    listRoute({
      path,
      method: 'POST',
      parameters: filters,
      pageSize: { default: 10, most: 1_024 },
      cost: 'xl',
      handle: async ({ parts, query, body, settings }) => {
        const addresses = addressesIn(body)
        const wanted = { chain: parts.blockchainId, network: parts.network, addresses, filters: query, settings }
        return answerOf(await ledger.state(), memory, wanted)
      },
    }),
  ]
}

function addressesIn(body: unknown): readonly string[] {
  const given = typeof body === 'object' && body !== null ? (body as { addresses?: unknown }).addresses : undefined
  if (typeof given !== 'string') throw ServiceError.invalid(['addresses must be a string'])
  return listOf(primaryAddress, 'addresses', given, mostPostedAddresses)
}

function answerOf(state: PrimaryState, memory: ListMemory<Utxo>, wanted: Wanted): ListAnswer {
  const { chain, network, addresses, settings } = wanted
  const { sortBy = 'timestamp', sortOrder, includeSpent = false, assetId, minUtxoAmount } = wanted.filters
  const name = JSON.stringify([chain, addresses, sortBy, includeSpent, assetId, String(minUtxoAmount)])
  const list = memory.of(name, state.containers, () => {
    return utxosOf(state, wanted).sort(sortBy === 'amount' ? byAmount : byTime)
  })
  const text = createUtxoTexts(state.book.assets, chain, settings.dialect)
  const { rows } = textsInOrder(list, sortOrder, (utxo) => withField(text(utxo), 'utxoBytes', utxoBytes(utxo)))
  return {
    items: 'utxos',
    rows,
    extra: chainInfo(chain, network),
    // Spending removes rows, and with the order by amount new rows are inserted between old ones.
    pinned: !includeSpent || sortBy === 'amount',
  }
}

function utxosOf(state: PrimaryState, { chain, addresses, filters: wanted }: Wanted): Utxo[] {
  const { includeSpent = false, assetId, minUtxoAmount = 0n } = wanted
  const signers = addresses === undefined ? null : new Set(addresses)
  const of = addresses === undefined ? state.book.utxos : state.addresses.utxos(chain, addresses)
  return [...of].filter((utxo) => {
    return (
      (utxo.createdOn === chain || utxo.livesOn === chain) &&
      (includeSpent || utxo.consumption === null) &&
      utxo.amount >= minUtxoAmount &&
      (chain !== 'X' || assetId === undefined || utxo.asset === assetId) &&
      (signers === null || canSign(utxo, signers))
    )
  })
}

/**
 * Whether the signers can spend a UTXO. The service omits UTXOs that need more signatures than the given addresses have (real-service.md, d
 * 6).
 */
function canSign({ owner }: Utxo, signers: ReadonlySet<string>): boolean {
  return owner.addresses.filter((address) => signers.has(address)).length >= owner.threshold
}

function byTime(a: Utxo, b: Utxo): number {
  return a.created.time - b.created.time || byId(a, b)
}

function byAmount(a: Utxo, b: Utxo): number {
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : byId(a, b)
}

function byId(a: Utxo, b: Utxo): number {
  return a.id < b.id ? -1 : 1
}

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
function withField(text: string, name: string, value: string): string {
  return `${text.slice(0, -1)},"${name}":${JSON.stringify(value)}}`
}

/** The fields that both shapes share. There are few owners, and each is a shared object. */
function createCommonTexts(assets: Assets): UtxoText {
  const ownerOf = remembered(({ addresses, threshold }: UtxoOwner) => {
    return `"addresses":${JSON.stringify(addresses)},"threshold":${threshold}`
  })
  const createAssetHead = (type: Asset['type']) =>
    remembered((asset: string) => {
      return JSON.stringify(assetAmount(assets, { asset, amount: 0n }, type)).slice(0, -'"0"}'.length)
    })
  const assetHeads = { secp256k1: createAssetHead('secp256k1'), nft: createAssetHead('nft') }
  return (utxo) => {
    const asset = assetHeads[utxo.kind.startsWith('nft') ? 'nft' : 'secp256k1'](utxo.asset)
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

const pSchema = versioned(pUtxo)

/** The bytes of a UTXO with their checksum, as hex with prefix. */
function utxoBytes(utxo: Utxo): string {
  return encodedBytes(utxoPayload(utxo))
}

/** The bytes of a UTXO as chains store them; `codec`: that of another chain of the asset VM. */
export function utxoPayload(utxo: Utxo, codec: XCodec | null = null): Uint8Array {
  const place = { txID: decodeCb58(utxo.txId), outputIndex: utxo.index, assetID: decodeCb58(utxo.asset) }
  const state = stateOf(utxo)
  if (codec !== null || state.type !== 'secp256k1fx.TransferOutput')
    return encode((codec ?? xCodec(null)).utxo, { ...place, output: state })
  const { stakeableLocktime: locktime } = utxo
  const output = locktime === null ? state : { type: 'stakeable.LockOut' as const, locktime, output: state }
  return encode(pSchema, { ...place, output })
}

function stateOf(utxo: Utxo): XState {
  const { threshold, locktime, addresses } = utxo.owner
  const owner = { threshold, locktime, addresses: addresses.map(addressBytes) }
  const groupID = utxo.groupId ?? 0
  switch (utxo.kind) {
    case 'transfer':
      return { type: 'secp256k1fx.TransferOutput', amount: utxo.amount, ...owner }
    case 'mint':
      return { type: 'secp256k1fx.MintOutput', ...owner }
    case 'nft_mint':
      return { type: 'nftfx.MintOutput', groupID, ...owner }
    case 'nft_transfer':
      return { type: 'nftfx.TransferOutput', groupID, payload: Buffer.from(utxo.payload ?? '', 'hex'), ...owner }
    case 'property_mint':
      return { type: 'propertyfx.MintOutput', ...owner }
    case 'property_owned':
      return { type: 'propertyfx.OwnedOutput', ...owner }
  }
}
