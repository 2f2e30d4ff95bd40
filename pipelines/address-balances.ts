import { decodeCb58, idText, utxoId } from '../codec/ids.ts'
import { nodeBalances } from '../schemas/node-state.ts'
import {
  answerObject,
  finish,
  id,
  ignore,
  object,
  objects,
  pathOf,
  type Reading,
  text,
  u32,
  u64,
  wrong,
} from '../src/decode/json/fields.ts'
import { listReader } from '../src/decode/list-reader.ts'
import {
  type DecodePage,
  type List,
  type NetworkIdentity,
  type NodeCall,
  nodeCall,
  nodeStream,
  p,
  pipeline,
  type ReadingContext,
  type RowOf,
  type RowsOf,
  type Subject,
} from '../src/define/index.ts'
import { DecodeError } from '../src/errors.ts'
import { addressParameters, requestedAddresses } from './shared/addresses.ts'
import { answeredSubject, itemsByKey, listThenItems, type NodeChain, nodeChain } from './shared/node.ts'
import { idPattern, parameterError } from './shared/parameters.ts'

type NodeBalance = RowOf<typeof nodeBalances>

const tables = { balances: nodeBalances }

/** What lists of balances have in common: one row per asset, with amounts in its least unit. */
const balances = { tables, token: null, readers: { utxo_ids: utxoIds } } as const

/** Parts of a balance by their columns. */
const parts = {
  unlocked: 'unlockeds',
  locked_stakeable: 'lockedStakeables',
  locked_not_stakeable: 'lockedNotStakeables',
}

/** platform.getBalance (specification 4.3): the amounts by asset. */
export const pBalancesList = listReader({
  ...balances,
  items: 'balances',
  keyedBy: 'asset',
  // Sums of the native asset in nAVAX. The maps hold them, too.
  ignoreInAnswer: ['balance', 'unlocked', 'lockedStakeable', 'lockedNotStakeable'],
  ofAnswer(answer) {
    const listed = answer.object['balances'] ?? {}
    const given = Object.values(parts).map((field) => [field, amounts(answer, field)] as const)
    for (const [field, byAsset] of given)
      for (const [asset, amount] of byAsset)
        if (amount > 0n && !Object.hasOwn(listed, asset))
          throw wrong(pathOf(answer, 'balances'), `leaves out ${asset}, although ${field} has an amount of it`, listed)
    return { given: Object.fromEntries(given) }
  },
  complete(row, item, given) {
    row.asset = text(item, 'asset')
    row.asset_id = assetId(row.asset, given['nativeAssetId'] as string | null)
    for (const [column, field] of Object.entries(parts))
      row[column] = (given[field] as ReadonlyMap<string, bigint>).get(row.asset) ?? 0n
    row.utxo_ids ??= []
  },
})

/** xvm.getBalance (specification 4.1): the balance of the requested `asset`. */
export const xBalanceList = listReader({
  ...balances,
  items: null,
  complete(row, _, { asset, nativeAssetId }) {
    setKnownAsset(row, asset as string, nativeAssetId as string | null)
    row.utxo_ids ??= []
  },
})

/** xvm.getAllBalances (specification 4.1). The node names an asset by its alias if it has one. */
export const xBalancesList = listReader({
  ...balances,
  items: 'balances',
  complete: (row, item, { nativeAssetId }) => setKnownAsset(row, text(item, 'asset'), nativeAssetId as string | null),
})

/** Amounts by asset. */
function amounts(at: Reading, name: string): ReadonlyMap<string, bigint> {
  return object(at, name, (inner) => new Map(Object.keys(inner.object).map((asset) => [asset, u64(inner, asset)])))
}

function utxoIds(_: unknown, at: Reading): string[] {
  return objects(at, 'utxoIDs', (inner, position) => {
    const txId = decodeCb58(id(inner, 'txID'))
    const index = u32(inner, 'outputIndex')
    if (txId.length !== 32) throw wrong(pathOf(at, `utxoIDs[${position}]`), 'is no UTXO', index)
    return idText(utxoId(txId, index))
  })
}

/** Fills the asset. Its id stays null for an alias. Throws `DecodeError` for a damaged id, which cannot be an alias. */
function setKnownAsset(row: NodeBalance, asset: string, nativeAssetId: string | null): void {
  row.asset = asset
  if (asset === 'AVAX') row.asset_id = nativeAssetId as string
  else if (/^[1-9A-HJ-NP-Za-km-z]{30,60}$/.test(asset)) row.asset_id = assetId(asset, nativeAssetId)
}

/** The id of an asset. On the primary network, only the native asset has an alias. */
function assetId(asset: string, nativeAssetId: string | null): string {
  if (asset !== 'AVAX') return idText(decodeCb58(asset))
  if (nativeAssetId !== null) return nativeAssetId
  throw new DecodeError('The asset id of AVAX is unknown.', {
    hint: 'The node must report its native asset: platform.getStakingAssetID.',
  })
}

/** The rows of an answer, and the balances without asset id by alias. xvm.getAssetDescription gives the asset ids of aliases. */
export function byAlias(read: DecodePage<typeof tables>) {
  return (answer: unknown, context: ReadingContext) => {
    const { balances } = read(answer, context).rows
    const isKnown = ({ asset_id }: NodeBalance) => asset_id !== null
    const items = itemsByKey(
      balances.filter((row) => !isKnown(row)),
      'asset',
    )
    return { rows: { balances: balances.filter(isKnown) }, items }
  }
}

/** Returns the row of a balance with the asset id that xvm.getAssetDescription states for its alias. */
export function decodeAliasedBalance(
  answer: unknown,
  context: ReadingContext,
  balance: NodeBalance,
): RowsOf<typeof tables> {
  const at = answerObject(answer, 'answer', context)
  const asset_id = idText(decodeCb58(text(at, 'assetID', 'assetId')))
  ignore(at, 'name', 'symbol', 'denomination')
  finish(at)
  return { balances: [{ ...balance, asset_id }] }
}

const parameters = {
  chain: p.text('P (default), X, or another chain of the asset VM by its blockchain id.'),
  ...addressParameters,
  assets: p.list(
    'Assets of the X-Chain, by their ids or AVAX (default: all assets of an address). Each is a request of its own, and names the UTXOs that were counted.',
    { pattern: { source: `^(AVAX|${idPattern})$`, says: 'must be AVAX or the id of an asset' } },
  ),
}

export const addressBalancesPipeline = pipeline({
  name: 'address-balances',
  comment: 'Balances of addresses per asset, as a node computes them. One request per address (and asset).',
  parameters,
  reads: 'node',
  tables,
  walks: ['snapshot'],
  streams: async (values, facts) => {
    const { chain: name = 'P', assets } = values
    const identity = await facts.node()
    const chain = nodeChain(identity, name)
    if (chain.alias === 'C')
      throw parameterError(
        'The C-Chain has accounts, not UTXOs: this job does not read their balances.',
        'Set chain to P or X, or use balances.',
      )
    if (chain.alias === 'P' && assets !== undefined)
      throw parameterError(
        'assets selects assets of the X-Chain; a node returns all assets of the P-Chain at once.',
        'Leave assets out.',
      )
    const { list, named } = requestedAddresses(values, identity)
    if (list.length === 0) return []
    const filters = { addresses: named, assets }
    const stream = nodeStream(identity.network, 'address-balances', filters, chain.alias ?? chain.blockchainId)
    const subjects = list.map((address) => subjectOf(identity, chain, name, address, assets))
    return [{ stream, tables, walk: { kind: 'snapshot', subjects } }]
  },
})

/** Balances of an address on a chain. */
function subjectOf(
  { network, nativeAssetId }: NetworkIdentity,
  { alias, blockchainId, path }: NodeChain,
  prefix: string,
  address: string,
  assets: readonly string[] | undefined,
): Subject {
  const filter = assets === undefined ? '' : `?assets=${assets.join()}`
  const name = `${alias ?? blockchainId}/${address}${filter}`
  // On another chain of the asset VM, AVAX is the name of an asset of its own genesis.
  const question = {
    network,
    blockchain_id: blockchainId,
    address,
    subject: name,
    nativeAssetId: alias === null ? null : nativeAssetId,
  }
  const named = `${prefix}-${address}`
  if (alias === 'P') {
    const call = nodeCall(path, 'platform.getBalance', { addresses: [named] })
    return answeredSubject(name, call, { decode: pBalancesList(question) })
  }
  /** Requests an asset by its alias if the answer names it by one. */
  const list = (request: NodeCall, read: DecodePage<typeof tables>): List =>
    listThenItems({
      list: { request, read: byAlias(read) },
      item: {
        request: (alias) => nodeCall(path, 'xvm.getAssetDescription', { assetID: alias }),
        read: decodeAliasedBalance,
      },
      none: { balances: [] },
    })
  const lists =
    assets === undefined
      ? [list(nodeCall(path, 'xvm.getAllBalances', { address: named }), xBalancesList(question))]
      : assets.map((asset) =>
          list(
            nodeCall(path, 'xvm.getBalance', { address: named, assetID: asset }),
            xBalanceList({ ...question, asset }),
          ),
        )
  return { name, lists }
}
