import type { FxOrder } from '../../codec/fxs.ts'
import { decodeCb58 } from '../../codec/ids.ts'
import { xCodec } from '../../codec/x.ts'
import { MethodError, type Parameters, type RpcMethod, textOf } from '../http/json-rpc.ts'
import type { ContainerStore } from '../index/store.ts'
import { hrp, nativeAssetText } from '../network/genesis.ts'
import { unspentOf } from '../service/primary/ledger/book.ts'
import type { PrimaryLedger } from '../service/primary/ledger/ledger.ts'
import type { Utxo } from '../service/primary/ledger/model.ts'
import { xBefore, xGenesisBlock } from '../x/chain.ts'
import { type BlocksView, blockMethods } from './blocks.ts'
import { xBlockJson } from './json.ts'
import { xTransactionMethods } from './transactions.ts'
import { addTo, idMistake, readAddress, utxoMethods } from './utxos.ts'

type XvmFacts = {
  readonly blocks: BlocksView
  readonly linear: ContainerStore
  /** Vertices from before Cortina and their transactions; empty on a chain that was always linear. */
  readonly vertices: ContainerStore
  readonly transactions: ContainerStore
  readonly ledger: PrimaryLedger
  /** Another chain of the asset VM; default: the X-Chain. */
  readonly other?: { readonly name: string; readonly fxs: FxOrder }
}

/** The methods of `/ext/bc/X` (specification 4.1), without the name of their service. */
export function xvmMethods(facts: XvmFacts): Readonly<Record<string, RpcMethod>> {
  const { name, fxs } = facts.other ?? { name: 'X', fxs: null }
  const alias = facts.other === undefined ? nativeAlias : feeAlias
  return {
    ...linearOnly(
      facts,
      blockMethods(facts.blocks, (bytes) => xBlockJson(bytes, hrp, fxs)),
    ),
    ...xTransactionMethods({ linear: facts.linear, before: facts.transactions, fxs }),
    getTxFee: () => ['{"txFee":"1000000","createAssetTxFee":"1000000"}'],
    ...assetMethods(facts.ledger, alias),
    ...utxoMethods(facts.ledger, 'X', { name, codec: fxs === null ? null : xCodec(fxs) }),
    ...xBalanceMethods(facts.ledger, { alias, name }),
  }
}

/** The block of height 0. On a chain that had vertices, it follows the last vertex. */
export async function xGenesis(vertices: ContainerStore, seed: number): Promise<Uint8Array> {
  const count = vertices.count()
  if (count === 0) return xGenesisBlock(xBefore(seed))
  const { id } = JSON.parse((await vertices.texts(count - 1, count)).toString('latin1')) as { id: string }
  return xGenesisBlock(decodeCb58(id))
}

/** A chain of vertices has no blocks, and a node of that time has no methods for blocks (recorded/legacy). */
function linearOnly(
  { linear, vertices }: XvmFacts,
  methods: Readonly<Record<string, RpcMethod>>,
): Readonly<Record<string, RpcMethod>> {
  const entries = Object.entries(methods).map(([name, method]): [string, RpcMethod] => [
    name,
    (parameters, request) => {
      if (linear.count() === 0 && vertices.count() > 0) {
        const exported = name.replace(/^./, (first) => first.toUpperCase())
        throw new MethodError(`rpc: can't find method "avm.${exported}"`)
      }
      return method(parameters, request)
    },
  ])
  return Object.fromEntries(entries)
}

/** The alias of the native asset on the X-Chain. */
const nativeAlias = 'AVAX'
/** The alias of the fee asset on another chain of the asset VM. */
const feeAlias = 'feeasset'

/** Resolves the id or the alias of an asset to its id. */
function assetOf(given: string, alias: string): string {
  if (given === alias) return nativeAssetText
  if (idMistake(given) !== null) throw new MethodError(`asset '${given}' not found`)
  return given
}

/** Name and denomination of every asset of the chain (specification 2.4). */
function assetMethods(ledger: PrimaryLedger, alias: string): Readonly<Record<'getAssetDescription', RpcMethod>> {
  return {
    getAssetDescription: async (parameters) => {
      const id = assetOf(textOf(parameters, 'assetid'), alias)
      const asset = (await ledger.state()).book.assets.get(id)
      if (asset === undefined) throw new MethodError('not found')
      const { name, symbol, denomination } = asset
      return [JSON.stringify({ assetID: id, name, symbol, denomination: String(denomination) })]
    },
  }
}

/** The alias of the fee asset of a chain of the asset VM, and the chain's address prefix. */
type XNames = { readonly alias: string; readonly name: string }

/**
 * The balances that an address alone can spend now on the X-Chain. Outputs with other owners and locked outputs do not count (specification
 * 4.1).
 */
function xBalanceMethods(
  ledger: PrimaryLedger,
  { alias, name }: XNames,
): Readonly<Record<'getBalance' | 'getAllBalances', RpcMethod>> {
  const addressOf = (parameters: Parameters) => readOwn(parameters, name)
  const coinsOf = async (parameters: Parameters): Promise<Utxo[]> => {
    const address = addressOf(parameters)
    const state = await ledger.state()
    return unspentOf(state, 'X', address).filter(({ kind, owner }) => {
      return kind === 'transfer' && owner.addresses.length === 1 && owner.locktime <= BigInt(state.times.X)
    })
  }
  return {
    getBalance: async (parameters) => {
      addressOf(parameters)
      const asset = assetOf(textOf(parameters, 'assetid'), alias)
      const coins = (await coinsOf(parameters)).filter((coin) => coin.asset === asset)
      const sums = new Map([[asset, 0n]])
      for (const { amount } of coins) addTo(sums, asset, amount)
      const utxoIDs = coins.map(({ txId, index }) => ({ txID: txId, outputIndex: index }))
      return [JSON.stringify({ balance: String(sums.get(asset)), utxoIDs })]
    },
    getAllBalances: async (parameters) => {
      const sums = new Map<string, bigint>()
      for (const { asset, amount } of await coinsOf(parameters)) addTo(sums, asset, amount)
      const balances = [...sums].map(([asset, sum]) => ({
        asset: asset === nativeAssetText ? alias : asset,
        balance: sum.toString(),
      }))
      return [JSON.stringify({ balances })]
    },
  }
}

function readOwn(parameters: Parameters, name: string): string {
  const given = textOf(parameters, 'address')
  try {
    return readAddress('X', given, name).text
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    throw new MethodError(`problem parsing address '${given}': ${error.message}`)
  }
}
