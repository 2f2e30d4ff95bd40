import type { FxOrder } from '../../../codec/fxs.ts'
import { decodeCb58 } from '../../../codec/ids.ts'
import { xCodec } from '../../../codec/x.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { MethodError } from '../../http/parameters.ts'
import type { ContainerStore } from '../../index/store.ts'
import { hrp } from '../../network/genesis.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import { xGenesisBlock } from '../../x/chain/blocks.ts'
import { xBefore } from '../../x/chain/chain.ts'
import { blockMethods } from '../blocks/block-methods.ts'
import type { BlocksView } from '../blocks/view.ts'
import { xBlockJson } from '../json/block-json.ts'
import { utxoMethods } from '../utxos/utxo-methods.ts'
import { assetMethods, feeAlias, nativeAlias } from './assets.ts'
import { xBalanceMethods } from './balances.ts'
import { xTransactionMethods } from './transactions.ts'

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
